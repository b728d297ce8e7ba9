"""Laws of snapshots and lists, against networkx and scikit-learn, on random pages."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN

from odokit.dom import Document, parse
from odokit.substructure import Exact, dynamic_xpaths, find_lists, wl_labels

LEVELS = 4
# Elements that the HTML5 parser nests as written.
TREE = st.recursive(
    st.sampled_from(["<b></b>", "<i>x</i>", "<span></span>"]),
    lambda inner: st.builds(
        lambda tag, children: f"<{tag}>{''.join(children)}</{tag}>",
        st.sampled_from(["div", "section", "ul", "article"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)
PAGES = TREE.map(lambda tree: parse(f"<body><div>{tree}</div></body>"))
EXAMPLES = settings(deadline=None, max_examples=60)


def as_graph(document: Document) -> nx.DiGraph:
    """A snapshot as networkx takes it: edges from parent to child, tags as labels."""
    graph = nx.DiGraph()
    graph.add_nodes_from((i, {"tag": tag}) for i, tag in enumerate(document.tags))
    graph.add_edges_from((int(p), i) for i, p in enumerate(document.parent) if p >= 0)
    return graph


def partition(labels: object) -> frozenset[frozenset[int]]:
    """Which elements have equal labels."""
    groups: dict[object, set[int]] = {}
    for index, label in enumerate(labels):  # type: ignore[arg-type]
        groups.setdefault(label, set()).add(index)
    return frozenset(map(frozenset, groups.values()))


@EXAMPLES
@given(PAGES)
def test_finding_is_the_inverse_of_naming(document: Document) -> None:
    xpaths = [document.xpath(i) for i in range(len(document))]
    assert [document.find(xpath) for xpath in xpaths] == list(range(len(document)))
    assert len(set(xpaths)) == len(xpaths)


# networkx says on every call that 3.5 mended its hashes of directed graphs.
@pytest.mark.filterwarnings("ignore:The hashes produced for directed graphs changed")
@settings(deadline=None, max_examples=25)
@given(PAGES)
def test_labels_split_elements_as_networkx_does(document: Document) -> None:
    # Since 3.5 a label sees the parent too; in its own subtree an element has none.
    graph = as_graph(document)
    hashes = [
        nx.weisfeiler_lehman_subgraph_hashes(
            graph.subgraph(nx.descendants(graph, i) | {i}),
            iterations=LEVELS,
            node_attr="tag",
            include_initial_labels=True,
        )[i]
        for i in range(len(document))
    ]
    for level in range(LEVELS + 1):
        theirs = [hashes[i][level] for i in range(len(document))]
        assert partition(wl_labels(document, level).tolist()) == partition(theirs)


@EXAMPLES
@given(PAGES, st.integers(0, LEVELS))
def test_dbscan_on_label_sets_is_a_group_by_on_one_level(document: Document, level: int) -> None:
    rounds = np.stack([wl_labels(document, k) for k in range(LEVELS + 1)], axis=1)
    both = (rounds[:, None, :] == rounds[None, :, :]).sum(axis=2)
    distance = 1 - both / (2 * (LEVELS + 1) - both)
    # Elements that agree down to `level` share level + 1 labels; half a label of slack.
    shared = level + 0.5
    eps = 1 - shared / (2 * (LEVELS + 1) - shared)
    found = DBSCAN(eps=eps, min_samples=2, metric="precomputed").fit(distance).labels_
    clusters = {g for g in partition(found.tolist()) if found[min(g)] >= 0}
    groups = {g for g in partition(rounds[:, level].tolist()) if len(g) >= 2}
    assert clusters == groups


@EXAMPLES
@given(PAGES, st.integers(0, 3))
def test_members_of_a_list_are_alike_children_of_its_container(
    document: Document, level: int
) -> None:
    labels = wl_labels(document, level)
    for found in find_lists(document, Exact(level)):
        container = document.find(found.container)
        members = [document.find(m) for m in found.members]
        assert container is not None and len(members) >= 2
        for member in members:
            assert member is not None
            assert document.parent[member] == container
            assert document.tags[member] == found.tag
            twins = (c for c in document.children[container] if labels[c] == labels[member])
            assert len(list(twins)) >= 2


@EXAMPLES
@given(PAGES)
def test_a_dynamic_xpath_matches_the_element_it_was_made_for(document: Document) -> None:
    lists = find_lists(document)
    for index in range(len(document)):
        xpath = document.xpath(index)
        for dynamic in dynamic_xpaths(xpath, lists):
            assert dynamic.matches(xpath)
