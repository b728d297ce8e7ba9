"""The behaviour model: what identifies an event, how events merge, and the graph they make."""

from odokit.navmodel.build import ModelBuilder, discover_model
from odokit.navmodel.compare import Comparison, Grouping, Regrouping, compare_models
from odokit.navmodel.diff import ModelDiff, diff_models
from odokit.navmodel.identity import BLANK, FreeTarget, blank_values, task_values
from odokit.navmodel.layout import Layout, foreground, layout_model
from odokit.navmodel.loops import Loop, find_loops
from odokit.navmodel.model import NavModel, Vertex, Visit, first_visit
from odokit.navmodel.parameters import InputParameter, input_parameters

__all__ = [
    "BLANK",
    "Comparison",
    "FreeTarget",
    "Grouping",
    "InputParameter",
    "Layout",
    "Loop",
    "ModelBuilder",
    "ModelDiff",
    "NavModel",
    "Regrouping",
    "Vertex",
    "Visit",
    "blank_values",
    "compare_models",
    "diff_models",
    "discover_model",
    "find_loops",
    "first_visit",
    "foreground",
    "input_parameters",
    "layout_model",
    "task_values",
]
