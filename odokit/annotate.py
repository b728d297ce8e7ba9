"""Describe trajectories and vertices in words, without spending a token.

Rule-made descriptions come first: a task's own wording with its values blanked says more of it than
a summary of its events, and costs nothing. A language model can reword them (policy `paper`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from odokit.navmodel import NavModel

MAX_STEPS_SHOWN = 12


@dataclass(frozen=True)
class Description:
    """A description and where it came from.

    Attributes:
        subject: `trajectory:ID` or `vertex:NAME`.
        text: The description.
        source: `rule`, `llm` or `human`; a human's beats a model's beats a rule's.
    """

    subject: str
    text: str
    source: str


def describe_trajectory(model: NavModel, trajectory_id: str) -> str:
    """What a demonstration does, imperative, its values replaced by parameter names.

    Without a task text, the labels of its interactions stand in.
    """
    header = model.timelines[trajectory_id].trajectory.header
    if not header.task:
        labels = [
            model.vertices[v.vertex].label
            for v in model.walks[trajectory_id]
            if v.step.event.kind.is_interaction
        ]
        return "; ".join(labels[:MAX_STEPS_SHOWN])
    text = header.task
    for name, value in sorted(model.values(trajectory_id).items(), key=lambda kv: -len(kv[1])):
        if value:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", name.replace("_", " "), text)
    return text


def describe_model(model: NavModel) -> list[Description]:
    """Descriptions of every trajectory and every interaction vertex."""
    trajectories = [
        Description(f"trajectory:{t}", describe_trajectory(model, t), "rule") for t in model.walks
    ]
    vertices = [
        Description(f"vertex:{v.name}", v.label, "rule")
        for v in model.vertices
        if v.kind.is_interaction
    ]
    return trajectories + vertices
