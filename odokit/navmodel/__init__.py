"""The behaviour model: what identifies an event, how events merge, and the graph they make."""

from odokit.navmodel.build import ModelBuilder, discover_model
from odokit.navmodel.identity import BLANK, FreeTarget, blank_values, task_values
from odokit.navmodel.layout import Layout, foreground, layout_model
from odokit.navmodel.model import NavModel, Vertex, Visit, first_visit

__all__ = [
    "BLANK",
    "FreeTarget",
    "Layout",
    "ModelBuilder",
    "NavModel",
    "Vertex",
    "Visit",
    "blank_values",
    "discover_model",
    "first_visit",
    "foreground",
    "layout_model",
    "task_values",
]
