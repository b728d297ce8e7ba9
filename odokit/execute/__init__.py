"""Execution of plans in a real browser."""

from odokit.execute.act import EnvironmentSecrets, Secrets
from odokit.execute.episode import Episode, Outcome, StepRecord
from odokit.execute.executor import Executor
from odokit.execute.guard import Guard, Limits
from odokit.execute.locate import Candidates, Located, locate

__all__ = [
    "Candidates",
    "EnvironmentSecrets",
    "Episode",
    "Executor",
    "Guard",
    "Limits",
    "Located",
    "Outcome",
    "Secrets",
    "StepRecord",
    "locate",
]
