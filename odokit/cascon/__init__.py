"""The public CASCON-2026 data set: read it, judge episodes on Canvas by its answer keys.

The data are the user's; nothing of them is shipped. See `docs/canvas.md`.
"""

from odokit.cascon.agents import AGENTS, read_network_log
from odokit.cascon.judge import MODES, judge, judge_logs
from odokit.cascon.readers import (
    AgentTask,
    CasconDataset,
    CasconInstance,
    KeyEntry,
    QuestionInstance,
    QuestionTemplate,
    SideEffectTemplate,
    read_dataset,
)
from odokit.cascon.strict import CANVAS_NOISE, strict_expectation
from odokit.cascon.taskfile import to_task_file

__all__ = [
    "AGENTS",
    "CANVAS_NOISE",
    "MODES",
    "AgentTask",
    "CasconDataset",
    "CasconInstance",
    "KeyEntry",
    "QuestionInstance",
    "QuestionTemplate",
    "SideEffectTemplate",
    "judge",
    "judge_logs",
    "read_dataset",
    "read_network_log",
    "strict_expectation",
    "to_task_file",
]
