"""The browser extension around the recorder's own script, and the import of what it exports."""

from odokit.record.extension.build import BROWSERS, build_extension
from odokit.record.extension.exports import EXPORT_SUFFIX, import_export, unpack_exports

__all__ = ["BROWSERS", "EXPORT_SUFFIX", "build_extension", "import_export", "unpack_exports"]
