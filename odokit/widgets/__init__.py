"""Interactive views for notebooks; each has parameters and a static figure that say the same."""

from odokit.widgets.graph_view import GraphView
from odokit.widgets.list_view import ListView
from odokit.widgets.path_view import PathView
from odokit.widgets.recorder_view import RecorderView
from odokit.widgets.trajectory_view import TrajectoryView

__all__ = ["GraphView", "ListView", "PathView", "RecorderView", "TrajectoryView"]
