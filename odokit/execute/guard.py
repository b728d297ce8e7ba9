"""Check each action before it happens: where the browser is, and what it may write.

A write that belongs neither to the plan nor to the application's habits is stopped before it leaves
the browser, and said so. Budgets are checked before they are spent.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from playwright.async_api import BrowserContext, Dialog, Page, Route
from playwright.async_api import Error as PlaywrightError

from odokit.errors import GuardError, UndecidedError
from odokit.events import EventKind
from odokit.navmodel import NavModel
from odokit.plan import Answer, Plan
from odokit.record.network import is_recorded, read_request
from odokit.record.redact import Redactor
from odokit.urls import origin


@dataclass(frozen=True)
class Limits:
    """Most an episode may use."""

    steps: int = 80
    """Interactions."""
    seconds: float = 180.0
    """Wall time."""


@dataclass
class Guard:
    """Watches one episode.

    Attributes:
        model: The behaviour model.
        allowed_origins: Where the browser may be; empty means where it started.
        limits: Most the episode may use.
        blocked: Writes that were stopped, `METHOD path`.
    """

    model: NavModel
    allowed_origins: Collection[str]
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.monotonic
    blocked: list[str] = field(default_factory=list)
    _allowed: set[tuple[str, ...]] = field(default_factory=set)
    _answers: list[Answer] = field(default_factory=list)
    _watched: bool = False
    _began: float = 0.0
    _steps: int = 0

    def __post_init__(self) -> None:
        self._began = self.clock()

    async def watch(self, context: BrowserContext, plan: Plan) -> None:
        """Stop unplanned writes of a context, and answer its dialogs, from now on."""
        self._began = self.clock()
        self.allow(plan)
        self._watched = True
        context.on("dialog", self._on_dialog)
        await context.route("**/*", self._on_route)

    async def release(self, context: BrowserContext) -> None:
        """Stop watching."""
        if not self._watched:
            return
        self._watched = False
        context.remove_listener("dialog", self._on_dialog)
        await context.unroute("**/*", self._on_route)

    def allow(self, plan: Plan) -> None:
        """Allow the writes of a plan and its demonstration, and the application's habitual ones."""
        vertices = {s.vertex for s in plan.path.steps}
        vertices |= {v.vertex for v in self.model.walks[plan.trajectory_id]}
        vertices |= {i for i in range(len(self.model.vertices)) if self.model.is_noise(i)}
        for vertex in vertices:
            found = self.model.vertices[vertex]
            if found.kind.is_write:
                self._allowed.add(
                    _key(
                        found.kind,
                        found.fixed["method"],
                        found.fixed["path"],
                        found.fixed.get("operation", ""),
                    )
                )

    def check(self, page: Page) -> None:
        """Check place and budgets before an action.

        Raises:
            GuardError: The browser is elsewhere, or a budget is used up.
        """
        here = origin(page.url)
        if self.allowed_origins and here not in self.allowed_origins:
            raise GuardError(
                f"the browser is at {here}, outside {', '.join(self.allowed_origins)}."
            )
        if self._steps >= self.limits.steps:
            raise GuardError(f"the budget of {self.limits.steps} steps is used up.")
        if self.clock() - self._began > self.limits.seconds:
            raise GuardError(f"the budget of {self.limits.seconds:.0f} seconds is used up.")
        self._steps += 1

    def expect(self, answers: Sequence[Answer]) -> None:
        """Answer the next dialogs as was demonstrated.

        Raises:
            UndecidedError: What to enter into a prompt follows from nothing.
        """
        if any(answer.text is None for answer in answers):
            raise UndecidedError("nothing tells what to enter into a prompt. Name it in the task.")
        self._answers = list(answers)

    async def _on_dialog(self, dialog: Dialog) -> None:
        # A dialog that was not demonstrated is accepted: who demonstrated a deletion confirmed it,
        # though a recording may not tell. What follows still passes the route below.
        answer = next((a for a in self._answers if a.type == dialog.type), None)
        if answer is not None:
            self._answers.remove(answer)
        with contextlib.suppress(PlaywrightError):  # the page went away with its dialog
            if answer is None or answer.is_accepted:
                await dialog.accept((answer and answer.text) or "")
            else:
                await dialog.dismiss()

    async def _on_route(self, route: Route) -> None:
        request = route.request
        if not is_recorded(request):
            await route.fallback()
            return
        read = read_request(request, Redactor())
        if read is None:  # a GraphQL query
            await route.fallback()
            return
        kind, parsed = read
        path = self.model.urls.template(parsed.url)
        if _key(kind, parsed.method, path, parsed.operation) in self._allowed:
            await route.fallback()
            return
        self.blocked.append(f"{parsed.method} {path} {parsed.operation}".strip())
        await route.abort("blockedbyclient")


def _key(kind: EventKind, method: str, path: str, operation: str) -> tuple[str, ...]:
    return (kind, method, path, operation)
