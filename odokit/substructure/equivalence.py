"""Show on a page that DBSCAN on nested labels is a group-by on one level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odokit.dom import Document
from odokit.errors import NavModelError
from odokit.substructure.labels import jaccard_distance, level_of, wl_rounds

MAX_ELEMENTS = 3000
"""A dense matrix of this many elements takes 72 MB, and DBSCAN on it as much again."""


@dataclass(frozen=True)
class Equivalence:
    """Two partitions of a page's elements.

    Attributes:
        rounds: Weisfeiler-Lehman rounds whose labels make up an element's set.
        eps: Largest Jaccard distance between neighbours.
        level: The level that DBSCAN with this `eps` comes down to; None for "all are neighbours".
        n_clusters: Clusters that DBSCAN finds.
        n_groups: Groups of at least `min_samples` elements with equal labels of that level.
        is_same: Whether clusters and groups have the same members.
    """

    rounds: int
    eps: float
    level: int | None
    n_clusters: int
    n_groups: int
    is_same: bool


def compare_with_dbscan(
    document: Document, rounds: int, eps: float, min_samples: int = 2
) -> Equivalence:
    """Cluster a page by DBSCAN on the exact distances of all pairs, and by a group-by.

    Args:
        document: A page of at most `MAX_ELEMENTS`.
        rounds: Weisfeiler-Lehman rounds, 0 to 16.
        eps: Largest Jaccard distance between neighbours, over 0 to 1.
        min_samples: Elements that make a dense region, itself included.

    Raises:
        NavModelError: The page is too large for a matrix of all pairs.
    """
    from sklearn.cluster import DBSCAN

    if len(document) > MAX_ELEMENTS:
        raise NavModelError(
            f"a page of {len(document)} elements is too large to compare all pairs of; choose one "
            f"of at most {MAX_ELEMENTS}."
        )
    labels = wl_rounds(document, rounds)
    distance = jaccard_distance(labels[:, None], labels[None])
    model = DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed")
    found = _groups(np.asarray(model.fit(distance).labels_))
    found.pop(-1, None)
    level = level_of(eps, rounds)
    keys = labels[:, level] if level is not None else np.zeros(len(document), np.uint64)
    grouped = {key: own for key, own in _groups(keys).items() if len(own) >= min_samples}
    is_same = set(found.values()) == set(grouped.values())
    return Equivalence(rounds, eps, level, len(found), len(grouped), is_same)


def _groups(keys: np.ndarray) -> dict[int, frozenset[int]]:
    members: dict[int, list[int]] = {}
    for element, key in enumerate(keys.tolist()):
        members.setdefault(key, []).append(element)
    return {key: frozenset(own) for key, own in members.items()}
