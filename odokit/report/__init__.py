"""Tables, figures and reports: pure functions of frames and of a behaviour model."""

from odokit.report.baselines import BASELINES, Baseline
from odokit.report.calibration import plot_reliability
from odokit.report.changes import plot_changes
from odokit.report.coverage import plot_coverage, plot_evidence
from odokit.report.figures import (
    plot_decisions,
    plot_rungs,
    plot_seconds,
    plot_success,
    plot_tokens,
)
from odokit.report.graph import plot_model, plot_path
from odokit.report.html import write_report
from odokit.report.lists import plot_list_quality
from odokit.report.notebook import export_notebook
from odokit.report.recordings import (
    frame_events,
    frame_health,
    plot_event_counts,
    plot_lists,
    plot_snapshot_sizes,
    plot_timeline,
)
from odokit.report.tables import (
    SuccessRate,
    failures,
    set_table_style,
    success_rate,
    summarize_episodes,
    summarize_repairs,
    summarize_runs,
)

__all__ = [
    "BASELINES",
    "Baseline",
    "SuccessRate",
    "export_notebook",
    "failures",
    "frame_events",
    "frame_health",
    "plot_changes",
    "plot_coverage",
    "plot_decisions",
    "plot_event_counts",
    "plot_evidence",
    "plot_list_quality",
    "plot_lists",
    "plot_model",
    "plot_path",
    "plot_reliability",
    "plot_rungs",
    "plot_seconds",
    "plot_snapshot_sizes",
    "plot_success",
    "plot_timeline",
    "plot_tokens",
    "set_table_style",
    "success_rate",
    "summarize_episodes",
    "summarize_repairs",
    "summarize_runs",
    "write_report",
]
