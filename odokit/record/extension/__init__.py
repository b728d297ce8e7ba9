"""The browser extension around the recorder's own script, and the import of what it exports."""

from odokit.record.extension.build import BROWSERS, build_extension
from odokit.record.extension.exports import EXPORT_SUFFIX, find_exports, import_export

__all__ = ["BROWSERS", "EXPORT_SUFFIX", "build_extension", "find_exports", "import_export"]
