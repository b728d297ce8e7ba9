"""The guard lets a plan's own writes pass, stops others, and holds to place and budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from builders import ORIGIN, Story
from playwright.async_api import Dialog, Page, Route
from playwright.async_api import Error as PlaywrightError

from odokit.decide import make_decider
from odokit.errors import GuardError, UndecidedError
from odokit.execute import Guard, Limits
from odokit.navmodel import NavModel, discover_model
from odokit.plan import Answer, Plan, make_plan

GRAPHQL = '{"query": "mutation %s { x }"}'


@dataclass
class FakePage:
    """As much of a page as the guard looks at."""

    url: str = f"{ORIGIN}/groups/1"


@dataclass
class FakeRequest:
    """As much of a request as the guard looks at."""

    method: str
    url: str
    post_data_buffer: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    resource_type: str = "fetch"


@dataclass
class FakeRoute:
    """Remembers what became of a request."""

    request: FakeRequest
    fate: str = ""

    async def fallback(self) -> None:
        self.fate = "passed"

    async def abort(self, code: str) -> None:
        self.fate = code


@dataclass
class FakeContext:
    """Remembers what the guard hooked into."""

    routes: list[Callable[..., Any]] = field(default_factory=list)
    listeners: list[Callable[..., Any]] = field(default_factory=list)

    def on(self, event: str, listener: Callable[..., Any]) -> None:
        assert event == "dialog"
        self.listeners.append(listener)

    def remove_listener(self, event: str, listener: Callable[..., Any]) -> None:
        self.listeners.remove(listener)

    async def route(self, pattern: str, handler: Callable[..., Any]) -> None:
        self.routes.append(handler)

    async def unroute(self, pattern: str, handler: Callable[..., Any]) -> None:
        self.routes.remove(handler)


@pytest.fixture
def model() -> NavModel:
    rename = Story("rename", task="Rename it to Owls", values={"name": "Owls"})
    rename.at("/groups/1").enter("Name", "Owls").click("Save")
    rename.write("PATCH", "/api/groups/1", {"name": "Owls"})
    rename.write("POST", "/graphql", operation="Touch", answer={"data": {}})
    other = Story("delete", task="Delete the group")
    other.at("/groups/1").click("Delete").write("DELETE", "/api/groups/1")
    return discover_model([rename.trajectory(), other.trajectory()])


@pytest.fixture
async def plan(model: NavModel) -> Plan:
    return await make_plan(
        "Rename it to Foxes", f"{ORIGIN}/groups/1", model, make_decider("offline")
    )


@pytest.mark.parametrize(
    ("method", "path", "body", "passes"),
    [
        ("PATCH", "/api/groups/77", "{}", True),
        ("POST", "/graphql", GRAPHQL % "Touch", True),
        ("POST", "/graphql", GRAPHQL % "Destroy", False),
        ("POST", "/graphql", '{"query": "{ groups { id } }"}', True),
        ("DELETE", "/api/groups/1", "", False),
        ("PATCH", "/api/groups/1/members", "{}", False),
        ("POST", "/api/groups/1", "{}", False),
        ("GET", "/api/anything", "", True),
    ],
)
async def test_only_the_plan_s_writes_pass(
    model: NavModel, plan: Plan, method: str, path: str, body: str, passes: bool
) -> None:
    guard, context = Guard(model, [ORIGIN]), FakeContext()
    await guard.watch(cast(Any, context), plan)
    route = FakeRoute(FakeRequest(method, ORIGIN + path, body.encode()))
    await context.routes[0](cast(Route, route))
    assert route.fate == ("passed" if passes else "blockedbyclient")
    assert bool(guard.blocked) is not passes
    await guard.release(cast(Any, context))
    assert context.routes == context.listeners == []


async def test_a_guard_that_never_watched_can_be_released(model: NavModel) -> None:
    await Guard(model, []).release(cast(Any, FakeContext()))


class FakeDialog:
    """A dialog of a type; remembers how it was answered."""

    def __init__(self, kind: str, *, is_gone: bool = False) -> None:
        self.type, self.answer = kind, "none"
        self._is_gone = is_gone

    async def accept(self, text: str = "") -> None:
        if self._is_gone:
            raise PlaywrightError("closed")
        self.answer = f"accepted {text}".strip()

    async def dismiss(self) -> None:
        self.answer = "dismissed"


async def test_dialogs_are_answered_as_was_demonstrated(model: NavModel, plan: Plan) -> None:
    guard, context = Guard(model, []), FakeContext()
    await guard.watch(cast(Any, context), plan)
    guard.expect([Answer("confirm", False, ""), Answer("prompt", True, "Owls")])
    dialogs = [FakeDialog(kind) for kind in ("prompt", "confirm", "confirm", "alert")]
    for dialog in [*dialogs, FakeDialog("alert", is_gone=True)]:
        await context.listeners[0](cast(Dialog, dialog))
    # The second confirm was not demonstrated: it is confirmed.
    assert [d.answer for d in dialogs] == ["accepted Owls", "dismissed", "accepted", "accepted"]
    with pytest.raises(UndecidedError, match="prompt"):
        guard.expect([Answer("prompt", True, None)])


def test_the_browser_must_be_where_it_may_be(model: NavModel) -> None:
    guard = Guard(model, [ORIGIN])
    guard.check(cast(Page, FakePage()))
    with pytest.raises(GuardError, match="outside"):
        guard.check(cast(Page, FakePage("http://elsewhere.test/")))


def test_steps_are_counted_before_they_are_taken(model: NavModel) -> None:
    guard = Guard(model, [], Limits(steps=2))
    for _ in range(2):
        guard.check(cast(Page, FakePage()))
    with pytest.raises(GuardError, match="2 steps"):
        guard.check(cast(Page, FakePage()))


async def test_time_is_counted_from_the_start_of_watching(model: NavModel, plan: Plan) -> None:
    now = [1000.0]
    guard = Guard(model, [], Limits(seconds=10), clock=lambda: now[0])
    await guard.watch(cast(Any, FakeContext()), plan)
    now[0] += 9
    guard.check(cast(Page, FakePage()))
    now[0] += 2
    with pytest.raises(GuardError, match="10 seconds"):
        guard.check(cast(Page, FakePage()))
