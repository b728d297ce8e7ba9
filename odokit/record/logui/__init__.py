"""Import recordings of the OdoX tools: LogUI flight logs become recordings of ours."""

from odokit.record.logui.importing import Imported, import_flights

__all__ = ["Imported", "import_flights"]
