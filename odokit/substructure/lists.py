"""From clusters of alike elements to lists: a container and its alike children."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odokit.dom import Document
from odokit.substructure.items import RULES, ListRules, Rule, may_be_items
from odokit.substructure.labels import wl_labels
from odokit.substructure.settings import Exact, Paper, Scope, Setting

MIN_MEMBERS = 2


@dataclass(frozen=True)
class RepeatedList:
    """A container and its alike children.

    Attributes:
        container: Absolute xpath of the parent.
        tag: Tag of the members.
        members: Xpaths of the members, in document order, at least two.
    """

    container: str
    tag: str
    members: tuple[str, ...]


def find_lists(document: Document, setting: Setting | None = None) -> tuple[RepeatedList, ...]:
    """Find containers with at least two alike children.

    Args:
        document: A parsed snapshot.
        setting: How likeness is found; `Exact()` when None.

    Returns:
        One `RepeatedList` for each (container, tag), in document order.
    """
    if not len(document):
        return ()
    setting = setting or Exact()
    scope: Scope = "parent" if isinstance(setting, Exact) else setting.scope
    clusters = find_clusters(document, setting)
    return gather_lists(document, clusters, scope=scope, rules=setting.rules)


def find_clusters(document: Document, setting: Setting) -> npt.NDArray[np.int64]:
    """Cluster alike elements, wherever on the page they are.

    Returns:
        The number of each element's cluster, -1 for one that is like no other.
    """
    if isinstance(setting, Exact):
        labels = wl_labels(document, setting.level)
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    if isinstance(setting, Paper):
        from odokit.substructure.paper import paper_clusters

        return paper_clusters(document, setting)
    from odokit.substructure.density import hdbscan_clusters

    return hdbscan_clusters(document, setting)


def gather_lists(
    document: Document,
    clusters: npt.NDArray[np.int64],
    *,
    scope: Scope = "parent",
    rules: tuple[Rule, ...] = RULES,
) -> tuple[RepeatedList, ...]:
    """Make lists of clusters.

    Args:
        document: The page.
        clusters: Number of each element's cluster, -1 for none.
        scope: What a cluster needs to be a list.
        rules: What tells items from other alike siblings.

    Returns:
        One `RepeatedList` for each (container, tag), in document order.
    """
    chosen = np.flatnonzero((clusters >= 0) & (document.parent >= 0))
    if scope == "cluster":
        chosen = chosen[_has_one_parent(document.parent[chosen], clusters[chosen])]
    chosen = chosen[may_be_items(document, chosen, rules)]
    parents = document.parent[chosen].astype(np.int64)
    keys = parents * (int(clusters.max(initial=0)) + 1) + clusters[chosen]
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    members = chosen[counts[group] >= MIN_MEMBERS]
    return tuple(_lists(document, members, ListRules(document, rules)))


def _has_one_parent(
    parents: npt.NDArray[np.int32], clusters: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Whether each element's cluster lies below a single parent."""
    size = int(clusters.max(initial=0)) + 1
    low = np.full(size, np.iinfo(np.int32).max, np.int32)
    high = np.full(size, -1, np.int32)
    np.minimum.at(low, clusters, parents)
    np.maximum.at(high, clusters, parents)
    return np.asarray((low == high)[clusters])


def _lists(
    document: Document, members: npt.NDArray[np.intp], rules: ListRules
) -> Iterator[RepeatedList]:
    parents = document.parent[members].astype(np.int64)
    keys = parents * (int(document.tag_codes.max()) + 1) + document.tag_codes[members]
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1)).tolist()
    ordered = members[order].tolist()
    for start, end in itertools.pairwise([*starts, len(ordered)]):
        alike = ordered[start:end]
        if rules.allow(alike):
            container = document.xpath(int(document.parent[alike[0]]))
            xpaths = tuple(f"{container}/{document.steps[m]}" for m in alike)
            yield RepeatedList(container, document.tags[alike[0]], xpaths)
