"""Weisfeiler-Lehman labels of a page's elements, as integers.

A round replaces each element's label by one made of it and the labels of its children, so a label
of round k tells how the subtree is built down to k levels. Labels are nested: elements that agree
in round k agree in every round before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from odokit.dom import Document

_MIX = np.uint64(0x9E3779B97F4A7C15)


def wl_labels(document: Document, level: int) -> npt.NDArray[np.uint64]:
    """Weisfeiler-Lehman labels of every element after `level` rounds over its children.

    Args:
        document: A parsed snapshot.
        level: Rounds, from 0 (the bare tag); a label sees that many levels down.

    Returns:
        One 64-bit label an element; equal labels mean equal unordered subtrees to that depth.
    """
    *_, last = _rounds(document, level)
    return last


def wl_rounds(document: Document, n_rounds: int) -> npt.NDArray[np.uint64]:
    """The labels of every round.

    Returns:
        One row an element, one column a round, `n_rounds` + 1 with the bare tag's.
    """
    return np.stack(list(_rounds(document, n_rounds)), axis=1)


def distinct(
    rounds: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Tell label sets apart: as labels are nested, the last round's label stands for the set.

    Args:
        rounds: What `wl_rounds` gives.

    Returns:
        The distinct rows; the row of each element; how many elements have each row.
    """
    _, first, row, counts = np.unique(
        rounds[:, -1], return_index=True, return_inverse=True, return_counts=True
    )
    return rounds[first], row, counts


def jaccard_distance(
    left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]
) -> npt.NDArray[np.float64]:
    """Jaccard distance of label sets: with m of L labels in common, 1 - m / (2 L - m).

    Args:
        left: Label sets along the last axis.
        right: The same, of a shape that broadcasts with it.
    """
    n_labels = left.shape[-1]
    shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
    both = np.zeros(shape, np.int16)
    for k in range(n_labels):  # a round at a time: all at once needs n_labels times the memory
        both += left[..., k] == right[..., k]
    return np.asarray(1 - both / (2 * n_labels - both))


def level_of(eps: float, n_rounds: int) -> int | None:
    """The one level at which DBSCAN with this `eps` groups nested label sets.

    Two sets of L = `n_rounds` + 1 labels with the first m in common are 1 - m / (2 L - m) apart,
    so "at most eps apart" means "agree down to a level".

    Args:
        eps: Largest Jaccard distance between neighbours, 0 to 1.
        n_rounds: Rounds whose labels make up a set.

    Returns:
        The level; None when every element is everyone's neighbour (`eps` of 1).
    """
    n_labels = n_rounds + 1
    for shared in range(n_labels + 1):
        if 1 - shared / (2 * n_labels - shared) <= eps:
            return shared - 1 if shared else None
    raise AssertionError("equal sets have distance 0")


def _rounds(document: Document, n_rounds: int) -> Iterator[npt.NDArray[np.uint64]]:
    labels = _mix(document.tag_codes.astype(np.uint64), 1)
    parent = document.parent
    below = np.flatnonzero(parent >= 0)
    above = parent[below]
    yield labels
    for round_ in range(n_rounds):
        sums = np.zeros(len(document), np.uint64)
        np.add.at(sums, above, _mix(labels[below], 2 * round_ + 2))
        labels = _mix(labels, 2 * round_ + 3) + sums
        yield labels


def _mix(values: npt.NDArray[np.uint64], salt: int) -> npt.NDArray[np.uint64]:
    """Spread bits (splitmix64), salted so that rounds and roles never cancel."""
    with np.errstate(over="ignore"):
        z = values + _MIX * np.uint64(salt)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
