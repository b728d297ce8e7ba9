"""Carry a plan out in a real browser, step by step, led by the live event stream.

For each instruction: find the element (waiting on the page, never sleeping), act with trusted
input, then wait for what the application is expected to do. A goal write that fails, or says
something else than the task, ends the episode. A page that is not the expected one makes it find
its way again from where it is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from playwright.async_api import ElementHandle, Page

from odokit.decide import Decider, FieldQuestion, OptionQuestion
from odokit.errors import (
    ActionTimeout,
    ExecuteError,
    LocatorNotFound,
    OdokitError,
    SecretNotFound,
    SiteError,
)
from odokit.events import Event, EventKind, Gesture
from odokit.execute import act, gestures
from odokit.execute.confirm import wrong_values
from odokit.execute.episode import StepRecord
from odokit.execute.guard import Guard
from odokit.execute.locate import Located, locate
from odokit.execute.settle import settle
from odokit.navmodel import NavModel
from odokit.plan import Instruction, PathStep, Plan, Target, replan
from odokit.record import PLACEHOLDER, Recorder
from odokit.secrets import Secrets, how_to_give
from odokit.timeline import was_accepted

LOCATE_TIMEOUT_MS = 10_000.0
HOVER_TIMEOUT_MS = 2_000.0
EFFECT_TIMEOUT_MS = 8_000.0
REDO_TIMEOUT_MS = 500.0
TIMEOUT_FACTOR = 10.0
MAX_REPLANS = 2
MAX_STALE = 3


@dataclass(frozen=True)
class _Entry:
    """A text entered since the last click: a redrawn form may lose it."""

    instruction: Instruction
    handle: ElementHandle
    text: str


@dataclass
class Executor:
    """Executes plans on one page.

    Attributes:
        page: The live page.
        recorder: The live event stream of its context.
        model: The behaviour model.
        decider: Answers what is open at run time.
        guard: Checks every action.
        secrets: Fills secret placeholders.
        uploads: The one folder from which files may be given to pages.
        steps: What was done so far.
        n_replans: Times the way had to be found again.
    """

    page: Page
    recorder: Recorder
    model: NavModel
    decider: Decider
    guard: Guard
    secrets: Secrets
    uploads: Path | None = None
    steps: list[StepRecord] = field(default_factory=list)
    n_replans: int = 0
    _done: set[int] = field(default_factory=set)
    _entered: list[_Entry] = field(default_factory=list)
    _at: str = ""

    async def run(self, plan: Plan) -> None:
        """Carry a plan out until all its target writes were observed with the right values.

        Raises:
            OdokitError: It could not be done; the kind of error says whose fault it is.
        """
        while True:
            try:
                await self._follow(plan)
                self._check_goals(plan)
                return
            except (LocatorNotFound, ActionTimeout):
                if self.n_replans >= MAX_REPLANS or not await self._is_elsewhere():
                    raise
                self.n_replans += 1
                plan = await replan(plan, self.page.url, self.model, self.decider, done=self._done)
                self.guard.allow(plan)

    async def _follow(self, plan: Plan) -> None:
        self._check_secrets(plan)
        if plan.start_url is not None:
            await self.page.goto(plan.start_url)
        for i, instruction in enumerate(plan.instructions):
            self._at = instruction.page
            self._take_page(instruction)
            self.guard.check(self.page)
            self.guard.expect(instruction.manner.answers)
            await settle(self.page, self.recorder)
            try:
                await self._perform(plan, instruction)
            except LocatorNotFound:
                if instruction.manner.gesture is Gesture.HOVER:
                    continue  # what it shows is looked for next; it may be there by now
                if i == 0 or not await self._redo(plan, plan.instructions[i - 1]):
                    raise
                await self._perform(plan, instruction)

    def _take_page(self, instruction: Instruction) -> None:
        """Go on in another tab when the step belongs to what is shown there."""
        pages = self.page.context.pages
        fitting = [p for p in pages if self.model.urls.template(p.url) == instruction.page]
        if self.page.is_closed() and pages:
            self.page = pages[-1]
        if fitting and self.page not in fitting:
            self.page = fitting[-1]

    async def _redo(self, plan: Plan, previous: Instruction) -> bool:
        """Click again what a late redraw undid, such as a menu or dialog that closed by itself.

        Returns:
            Whether the previous instruction was such a click and its element is there again.
        """
        if previous.kind is not EventKind.CLICK or previous.writes or previous.location:
            return False
        if not isinstance(await locate(self.page, previous.target, REDO_TIMEOUT_MS), Located):
            return False
        await self._perform(plan, previous)
        return True

    async def _perform(self, plan: Plan, instruction: Instruction) -> None:
        began = time.monotonic()
        since = len(self.recorder.events)
        value, result, found = "", "", None
        try:
            if instruction.kind is EventKind.CLICK:
                await self._restore_entries(plan)
            found, value, result = await self._act_on_fresh(plan, instruction)
            await self._await_effects(plan, instruction, since)
        except OdokitError as error:
            result = self.recorder.hide(str(error))
            raise
        finally:
            self.steps.append(
                StepRecord(
                    number=len(self.steps),
                    label=instruction.label,
                    vertex=self.model.vertices[instruction.vertex].name,
                    rung=found.rung if found else "",
                    confidence=found.confidence if found else 0.0,
                    value=value,
                    seconds=round(time.monotonic() - began, 3),
                    result=result,
                    repair=self.recorder.hide(found.repair) if found and found.repair else None,
                )
            )

    async def _act_on_fresh(self, plan: Plan, instruction: Instruction) -> tuple[Located, str, str]:
        """Find the element and act on it; find it again when the page redraws in between."""
        last: ExecuteError | None = None
        for _ in range(MAX_STALE):
            found = await self._locate(plan, instruction)
            try:
                return found, *await self._act(plan, instruction, found.handle)
            except act.StaleElement as error:
                last = error
        raise ExecuteError(f"“{instruction.label}” could not be acted on: {last}") from last

    async def _restore_entries(self, plan: Plan) -> None:
        """Enter again what a redrawn form lost, before a click may submit it."""
        entered, self._entered = self._entered, []
        for entry in entered:
            if self.model.urls.template(self.page.url) != entry.instruction.page:
                continue  # it was submitted with its page
            if not await act.holds_text(entry.handle, entry.text):
                await self._act_on_fresh(plan, entry.instruction)
        self._entered = []

    async def _locate(self, plan: Plan, instruction: Instruction) -> Located:
        target = instruction.target
        is_key = instruction.manner.gesture is Gesture.KEY
        if is_key and target.element.tag in gestures.PAGE_TAGS and not target.element.frame:
            body = await self.page.wait_for_selector("body")
            assert body is not None
            return Located(body, "page", 1.0)
        if instruction.kind is EventKind.RADIO:
            target = await self._radio_target(instruction)
        is_hover = instruction.manner.gesture is Gesture.HOVER
        found = await locate(self.page, target, HOVER_TIMEOUT_MS if is_hover else LOCATE_TIMEOUT_MS)
        if isinstance(found, Located):
            return found
        if target.free is None or not found.handles:
            raise LocatorNotFound(
                f"“{instruction.label}” was not recognised on {self.page.url} ({found.reason} of "
                f"{len(found.texts)} candidates fits)."
            )
        texts = tuple(map(self.recorder.hide, found.texts))  # they may go into a prompt
        question = OptionQuestion(plan.task, instruction.label, target.wanted, texts)
        choice = await self.decider.choose_option(question)
        return Located(found.handles[choice], "option", self.decider.log.rows[-1].confidence)

    async def _radio_target(self, instruction: Instruction) -> Target:
        """The button whose label is the decided value."""
        assert instruction.question is not None
        label = await self.decider.field_value(instruction.question)
        return replace(instruction.target, name=label, free=None, wanted=label, is_constant=False)

    async def _act(
        self, plan: Plan, instruction: Instruction, handle: ElementHandle
    ) -> tuple[str, str]:
        """Perform the interaction; returns the value (secrets hidden) and what came of it."""
        kind, manner = instruction.kind, instruction.manner
        if manner.gesture is not Gesture.CLICK:
            await gestures.use(handle, manner, await self._drop(plan, instruction))
            return manner.keys, "done"
        if kind is EventKind.CLICK:
            await act.click(handle)
            return "", "done"
        if kind is EventKind.RADIO:
            changed = await act.set_toggle(handle, True)
            return self.decider.log.rows[-1].answer, "done" if changed else "kept"
        assert instruction.question is not None
        value = await self.decider.field_value(instruction.question)
        if manner.is_file:
            await gestures.choose_files(handle, gestures.find_files(value, self.uploads))
            return value, "done"
        if kind is EventKind.CHECKBOX:
            changed = await act.set_toggle(handle, value == "on")
            return value, "done" if changed else "kept"
        if kind is EventKind.SELECT:
            await act.select_option(handle, value)
        elif kind is EventKind.RICH_TEXT:
            await act.enter_rich_text(handle, self._reveal(plan, instruction.question, value))
        else:
            text = self._reveal(plan, instruction.question, value)
            await act.enter_text(handle, text)
            if not text.endswith(act.ENTER):
                self._entered.append(_Entry(instruction, handle, text))
        return value, "done"

    def _reveal(self, plan: Plan, question: FieldQuestion, value: str) -> str:
        """Fill secrets in; from here on the recorder knows them and leaves them out."""
        allowed = PLACEHOLDER.findall(f"{question.demonstrated} {plan.task}")
        text, used = act.reveal(value, self.secrets, allowed)
        for name, secret in used.items():
            self.recorder.learn(secret, name)
        return text

    def _check_secrets(self, plan: Plan) -> None:
        """Give up before anything is done if a secret is missing that will be needed."""
        for instruction in plan.instructions:
            bound = instruction.question.bound if instruction.question is not None else None
            for name in PLACEHOLDER.findall(bound or ""):
                if self.secrets.get(name) is None:
                    raise SecretNotFound(
                        f"“{instruction.label}” types the secret “{name}”, which is not known "
                        f"here. {how_to_give(name)}"
                    )

    async def _drop(self, plan: Plan, instruction: Instruction) -> ElementHandle | None:
        """Where a drag is to end."""
        target = instruction.manner.drop
        if target is None:
            return None
        found = await locate(self.page, target, LOCATE_TIMEOUT_MS)
        if isinstance(found, Located):
            return found.handle
        raise LocatorNotFound(
            f"the place “{target.name or target.element.tag}” to drop “{instruction.label}” at was "
            f"not recognised on {self.page.url}."
        )

    async def _await_effects(self, plan: Plan, instruction: Instruction, since: int) -> None:
        """Wait for the writes and the page that should follow an interaction."""
        for write in instruction.writes:
            await self._await_write(plan, instruction, write, since)
        if instruction.location is not None:
            await self._await_location(instruction, since)

    async def _await_write(
        self, plan: Plan, instruction: Instruction, write: PathStep, since: int
    ) -> None:
        fixed = self.model.vertices[write.vertex].fixed
        goal = any(
            write.trajectory_id == plan.trajectory_id and t.step.idx == write.step.idx
            for t in plan.targets
        )
        if not goal and (self.model.is_noise(write.vertex) or write.step.cause is None):
            return
        timeout = self._timeout(instruction, write)
        seen = await self.recorder.wait_for(
            lambda e: e.response is not None and self._is(e, fixed),
            since=since,
            timeout_ms=timeout if goal else timeout / 4,
        )
        if seen is None:
            if goal:
                raise ActionTimeout(
                    f"after “{instruction.label}” the request {fixed['method']} {fixed['path']} "
                    f"did not come within {timeout / 1000:.0f} s."
                )
            return
        self._judge(plan, write, seen, is_goal=goal)

    def _judge(self, plan: Plan, write: PathStep, seen: Event, *, is_goal: bool) -> None:
        assert seen.response is not None and seen.request is not None
        status = seen.response.status
        if status >= 500:
            raise SiteError(f"the application answered {status} to {seen.request.url}.")
        if status == 401:
            raise SiteError(
                f"nobody is signed in any more: {seen.request.url} was answered by 401. "
                "Sign in again and repeat the task."
            )
        if not is_goal:
            return
        if not was_accepted(seen):
            raise ExecuteError(f"the application refused {seen.request.url} ({status}).")
        old = self.model.values(write.trajectory_id)
        wrong = wrong_values(write.step.event, seen, old, plan.values)
        if wrong:
            raise ExecuteError(f"the request was sent with other values: {'; '.join(wrong)}.")
        self._done.add(write.step.idx)

    async def _await_location(self, instruction: Instruction, since: int) -> None:
        """Wait for the page to change; if it does not, looking for the next element will tell."""
        wanted = instruction.location
        if self.model.urls.template(self.page.url) == wanted:
            return
        await self.recorder.wait_for(
            lambda e: e.kind is EventKind.LOCATION and self.model.urls.template(e.to_url) == wanted,
            since=since,
            timeout_ms=EFFECT_TIMEOUT_MS,
        )

    def _timeout(self, instruction: Instruction, write: PathStep) -> float:
        """Ten times what it took in the demonstrations, at least `EFFECT_TIMEOUT_MS`."""
        edge = self.model.edges.get((instruction.vertex, write.vertex))
        return max(EFFECT_TIMEOUT_MS, TIMEOUT_FACTOR * edge[1]) if edge else EFFECT_TIMEOUT_MS

    def _is(self, event: Event, fixed: Mapping[str, str]) -> bool:
        request = event.request
        return (
            request is not None
            and request.method == fixed["method"]
            and self.model.urls.template(request.url) == fixed["path"]
            and request.operation == fixed.get("operation", "")
        )

    async def _is_elsewhere(self) -> bool:
        """Whether the page is another than the failed instruction's, so that a new way may help."""
        here = self.model.urls.template(self.page.url)
        return here != self._at and self.model.find_location(self.page.url) is not None

    def _check_goals(self, plan: Plan) -> None:
        left = [t for t in plan.targets if t.step.idx not in self._done]
        if left:
            labels = ", ".join(self.model.vertices[t.vertex].label for t in left)
            raise ActionTimeout(f"the path was walked to its end, but {labels} was not observed.")
