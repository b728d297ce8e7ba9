"""Write recordings for other tools: JSON lines, OCEL 2.0, XES, Playwright."""

from odokit.export.formats import document_recording
from odokit.export.jsonl import write_jsonl
from odokit.export.ocel import make_ocel, write_ocel
from odokit.export.playwright import make_script, write_playwright
from odokit.export.xes import make_xes, write_xes

__all__ = [
    "document_recording",
    "make_ocel",
    "make_script",
    "make_xes",
    "write_jsonl",
    "write_ocel",
    "write_playwright",
    "write_xes",
]
