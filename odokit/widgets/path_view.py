"""Go through a plan, interaction by interaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from odokit.errors import ReportError
from odokit.navmodel import NavModel
from odokit.plan import Instruction, Plan
from odokit.widgets.panes import make_code, make_table, show_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go


class PathView(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A plan as a list of steps, and what is known of the selected interaction.

    Attributes:
        step: Number of the selected interaction, from 0.
    """

    step = traitlets.Int(0)

    def __init__(self, model: NavModel, plan: Plan, step: int = 0) -> None:
        """Open the view.

        Args:
            model: The behaviour model the plan was made with.
            plan: A plan with at least one interaction.
            step: Interaction to begin at.

        Raises:
            ReportError: The plan has no interaction.
        """
        if not plan.instructions:
            raise ReportError(f"the plan for {plan.task!r} has no interaction to show.")
        self._model = model
        self._plan = plan
        self._slider = ipywidgets.IntSlider(
            min=0, max=len(plan.instructions) - 1, description="Interaction"
        )
        self._details = ipywidgets.HTML()
        self._path = ipywidgets.Output()
        super().__init__([self._slider, self._details, self._path])
        self.step = step
        traitlets.link((self, "step"), (self._slider, "value"))
        self.observe(self._update, "step")
        show_figure(self._path, self.figure())
        self._update()

    @traitlets.validate("step")
    def _is_a_step(self, proposal: dict[str, Any]) -> int:
        n_steps = len(self._plan.instructions)
        if not 0 <= proposal["value"] < n_steps:
            raise traitlets.TraitError(
                f"interaction {proposal['value']} is not in the plan; it has 0 to {n_steps - 1}."
            )
        return int(proposal["value"])

    def _update(self, _: object = None) -> None:
        instruction = self._plan.instructions[self.step]
        code = make_code(instruction.target.element.html)
        self._details.value = make_table(describe(self._model, instruction)) + code

    def figure(self) -> go.Figure:
        """The static twin: all steps of the plan with their values."""
        from odokit.report import plot_path

        return plot_path(self._model, self._plan)


def describe(model: NavModel, instruction: Instruction) -> list[tuple[str, str]]:
    """What an instruction says, as rows of two texts."""
    target, question = instruction.target, instruction.question
    rows = [("do", instruction.label), ("page", instruction.page), ("name", target.name or "")]
    if target.free is not None:
        rows.append(("which one", f"{target.wanted or 'open'} ({target.free.slot})"))
    if question is not None:
        rows.append(("value", "open" if question.bound is None else question.bound))
        rows.append(("demonstrated", question.demonstrated))
    rows += [("then", model.vertices[write.vertex].label) for write in instruction.writes]
    rows.append(("then at", instruction.location or ""))
    return [(name, text) for name, text in rows if text]
