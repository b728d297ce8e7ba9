"""Laws of timelines and behaviour models, on random trajectories."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from builders import Story
from hypothesis import given, settings
from hypothesis import strategies as st

from odokit.events import EventKind, Trajectory
from odokit.navmodel import ModelBuilder, NavModel, discover_model
from odokit.timeline import build_timeline

NAMES = st.sampled_from(["A", "B", "C"])
WORDS = st.sampled_from(["x", "xy", "Ada Byron", "Bo Li"])
PATHS = st.sampled_from(
    # Numbers, slugs of values, numbered slugs, query keys: templates change as more is seen.
    ["/a", "/a/7", "/a/12", "/b", "/w/ada-byron", "/w/bo-li/x", "/w/help", "/s/oak_1", "/s/elm_2"]
    + [f"/p?do={do}&n={n}" for do in ("edit", "view") for n in (1, 2)]
)
ACTS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0.0, 250.0, 2_900.0, 9_000.0])),
    st.tuples(st.just("at"), PATHS),
    st.tuples(st.just("click"), NAMES),
    st.tuples(st.just("enter"), NAMES, WORDS),
    st.tuples(st.just("rich"), NAMES, WORDS),
    st.tuples(st.just("check"), NAMES, st.booleans()),
    st.tuples(st.just("write"), st.sampled_from(["POST", "PUT"]), PATHS),
    st.tuples(st.just("changes"), WORDS),
)
VALUES = st.fixed_dictionaries({"who": WORDS})


def told(trajectory_id: str, acts: list[tuple[object, ...]], values: dict[str, str]) -> Trajectory:
    """The trajectory of a list of acts."""
    story = Story(trajectory_id, task="Do it", values=values)
    for name, *arguments in acts:
        getattr(story, str(name))(*arguments)
    return story.trajectory()


TRAJECTORIES = st.lists(st.tuples(st.lists(ACTS, max_size=12), VALUES), min_size=1, max_size=5).map(
    lambda drawn: [told(f"t{i}", acts, values) for i, (acts, values) in enumerate(drawn)]
)
EXAMPLES = settings(deadline=None, max_examples=80)


@EXAMPLES
@given(TRAJECTORIES)
def test_cleaning_a_clean_timeline_changes_nothing(trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        once = build_timeline(trajectory)
        clean = replace(trajectory, events=tuple(step.event for step in once.steps))
        again = build_timeline(clean)
        assert [(s.event, s.cause) for s in again.steps] == [(s.event, s.cause) for s in once.steps]


@EXAMPLES
@given(TRAJECTORIES)
def test_cleaning_keeps_the_order_and_every_event(trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        steps = build_timeline(trajectory).steps
        raw = [index for step in steps for index in step.raw]
        assert sorted(raw) == [event.idx for event in trajectory.events]
        places = [step.event.idx for step in steps]
        assert places == sorted(places)
        assert [step.idx for step in steps] == list(range(len(steps)))
        assert all(step.cause is None or step.cause < step.idx for step in steps)


@EXAMPLES
@given(TRAJECTORIES)
def test_cleaning_loses_no_act(trajectories: list[Trajectory]) -> None:
    for trajectory in trajectories:
        kept = [step.event for step in build_timeline(trajectory).steps]
        for event in trajectory.events:
            if event.kind.is_write:
                assert event in kept
        last_values = {e.element.xpath: e.value for e in trajectory.events if e.element and e.value}
        kept_values = {e.element.xpath: e.value for e in kept if e.element and e.value}
        assert kept_values == last_values


@EXAMPLES
@given(TRAJECTORIES, st.randoms(use_true_random=False), st.sampled_from(["fingerprint", "paper"]))
def test_the_order_of_trajectories_does_not_matter(
    trajectories: list[Trajectory], shuffler: random.Random, identity: str
) -> None:
    model = discover_model(trajectories, identity=identity)
    shuffled = list(trajectories)
    shuffler.shuffle(shuffled)
    other = discover_model(shuffled, identity=identity)
    assert other.model_id == model.model_id
    assert (other.vertices, dict(other.edges)) == (model.vertices, dict(model.edges))
    assert other.walks == model.walks


@EXAMPLES
@given(TRAJECTORIES, st.randoms(use_true_random=False), st.sampled_from(["fingerprint", "paper"]))
def test_adding_one_by_one_equals_building_at_once(
    trajectories: list[Trajectory], shuffler: random.Random, identity: str
) -> None:
    shuffled = list(trajectories)
    shuffler.shuffle(shuffled)
    builder = ModelBuilder(identity=identity)
    for trajectory in shuffled:
        grown = builder.add([trajectory]).build()
        # Going on from a finished model leaves no trace either.
        builder = ModelBuilder.of(grown)
    model = discover_model(trajectories, identity=identity)
    assert grown == model
    assert list(grown.edges) == list(model.edges)


def naive_graph(trajectories: list[Trajectory], model: NavModel) -> set[tuple[str, str, int]]:
    """The paper's three passes with dictionaries, event by event, over the model's own keys."""
    key_of = {i: v for v in model.vertices for i in v.instances}
    edges: dict[tuple[str, str], int] = {}
    for trajectory in trajectories:
        timeline = build_timeline(trajectory)
        named: list[str | None] = []
        for step in timeline.steps:
            found = key_of.get(timeline.step_id(step.idx))
            is_effect = step.event.kind is EventKind.DOM_EFFECT
            named.append(None if is_effect or found is None else found.name)
        for step in timeline.steps[1:-1]:
            before, after = named[step.idx - 1], named[step.idx + 1]
            if step.event.kind is EventKind.DOM_EFFECT and before and after:
                is_load = timeline.steps[step.idx - 1].event.kind is EventKind.LOCATION
                named[step.idx] = f"effect {before}" + ("" if is_load else f" {after}")
        kept = [name for name in named if name is not None]
        for pair in itertools.pairwise(kept):
            edges[pair] = edges.get(pair, 0) + 1
    return {(a, b, n) for (a, b), n in edges.items()}


@EXAMPLES
@given(TRAJECTORIES)
def test_the_graph_on_codes_is_that_of_the_naive_loop(trajectories: list[Trajectory]) -> None:
    model = discover_model(trajectories)

    def name(vertex: int) -> str:
        found = model.vertices[vertex]
        return " ".join(
            ["effect", *found.fixed.values()] if found.kind == "dom_effect" else [found.name]
        )

    graph = {(name(a), name(b), count) for (a, b), (count, _) in model.edges.items()}
    assert graph == naive_graph(trajectories, model)


@EXAMPLES
@given(TRAJECTORIES)
def test_walks_go_along_edges_and_edges_count_them(trajectories: list[Trajectory]) -> None:
    model = discover_model(trajectories)
    pairs = [
        (a.vertex, b.vertex) for walk in model.walks.values() for a, b in itertools.pairwise(walk)
    ]
    assert {pair: count for pair, (count, _) in model.edges.items()} == {
        pair: pairs.count(pair) for pair in pairs
    }
    for walk in model.walks.values():
        for visit in walk:
            assert visit.step.event.kind is model.vertices[visit.vertex].kind


@EXAMPLES
@given(TRAJECTORIES)
def test_every_step_is_an_instance_of_one_vertex(trajectories: list[Trajectory]) -> None:
    model = discover_model(trajectories)
    instances = [i for vertex in model.vertices for i in vertex.instances]
    visits = [f"{t}#{v.step.idx}" for t, walk in model.walks.items() for v in walk]
    assert sorted(instances) == sorted(visits)
    assert len(set(instances)) == len(instances)


def naive_distance(model: NavModel, source: int, target: int) -> float:
    """Equation 1, read from the paper word by word."""
    events: dict[int, dict[str, list[int]]] = {source: {}, target: {}}
    for vertex in (source, target):
        for instance in model.vertices[vertex].instances:
            trajectory, index = instance.rsplit("#", 1)
            events[vertex].setdefault(trajectory, []).append(int(index))
    common = events[source].keys() & events[target].keys()
    if not common:
        return float("inf")
    means = [
        np.mean([index for trajectory in common for index in events[vertex][trajectory]])
        for vertex in (source, target)
    ]
    return abs(float(means[0] - means[1]))


@EXAMPLES
@given(TRAJECTORIES)
def test_distances_are_equation_1(trajectories: list[Trajectory]) -> None:
    model = discover_model(trajectories)
    everyone = range(len(model.vertices))
    for target in everyone:
        found = model.distances_to(target)
        assert found.tolist() == pytest.approx([naive_distance(model, v, target) for v in everyone])
