"""Execution of plans in a real browser."""

from odokit.execute.episode import Episode, Outcome, StepRecord
from odokit.execute.executor import Executor
from odokit.execute.guard import Guard, Limits
from odokit.execute.locate import Candidates, Located, locate

__all__ = [
    "Candidates",
    "Episode",
    "Executor",
    "Guard",
    "Limits",
    "Located",
    "Outcome",
    "StepRecord",
    "locate",
]
