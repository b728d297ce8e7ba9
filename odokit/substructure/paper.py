"""The published clustering, stage by stage.

Equal label sets are handled once: their sketches are equal, LSH always proposes them, their
distance is 0, and DBSCAN is told how many each stands for. The result is that of the pipeline
written down plainly; a test compares the two.

Source: paper, section III-C1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from odokit.dom import Document
from odokit.substructure.labels import distinct, jaccard_distance, wl_rounds
from odokit.substructure.settings import Paper

if TYPE_CHECKING:
    from datasketch import MinHash


@dataclass(frozen=True)
class Sketches:
    """The distinct label sets of a page with their MinHash sketches.

    Attributes:
        labels: One row a distinct set, one column a round.
        row: Row of each element.
        counts: Elements of each row.
        minhashes: A MinHash a row.
    """

    labels: npt.NDArray[np.uint64]
    row: npt.NDArray[np.intp]
    counts: npt.NDArray[np.intp]
    minhashes: tuple[MinHash, ...]


def paper_clusters(document: Document, setting: Paper) -> npt.NDArray[np.int64]:
    """Cluster the elements of a page as published.

    Sketches and proposals are kept with the page, so that trying another `eps` is quick.

    Returns:
        The number of each element's cluster, -1 for noise.
    """
    kept = ("sketches", setting.rounds, setting.n_permutations)
    if kept not in document.memo:
        document.memo[kept] = sketch(document, setting.rounds, setting.n_permutations)
    sketches: Sketches = document.memo[kept]
    proposed = (*kept, setting.lsh_threshold)
    if proposed not in document.memo:
        document.memo[proposed] = propose(sketches, setting.lsh_threshold)
    return cluster(sketches, document.memo[proposed], setting.eps, setting.min_samples)


def sketch(document: Document, rounds: int, n_permutations: int) -> Sketches:
    """Make label sets and their MinHash sketches."""
    from datasketch import MinHash

    labels, row, counts = distinct(wl_rounds(document, rounds))
    texts = ([label.tobytes() for label in line] for line in labels)
    return Sketches(labels, row, counts, tuple(MinHash.bulk(texts, num_perm=n_permutations)))


def propose(sketches: Sketches, threshold: float) -> npt.NDArray[np.int32]:
    """Let LSH propose which sets may be near, and join what it proposes.

    Returns:
        The number of each distinct set's connected component.
    """
    from datasketch import MinHashLSH
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    made = sketches.minhashes
    n_sets = len(made)
    n_permutations = len(made[0])
    index = MinHashLSH(num_perm=n_permutations, params=lsh_bands(threshold, n_permutations))
    for number, one in enumerate(made):
        index.insert(number, one, check_duplication=False)
    pairs = [(number, other) for number, one in enumerate(made) for other in index.query(one)]
    left, right = np.asarray(pairs).T
    graph = coo_matrix((np.ones(len(left), np.int8), (left, right)), shape=(n_sets, n_sets))
    return np.asarray(connected_components(graph, directed=False)[1])


@cache
def lsh_bands(threshold: float, n_permutations: int) -> tuple[int, int]:
    """How datasketch would split a sketch into bands for a threshold, found a hundred times faster.

    It takes the split with the smallest sum of false positives and false negatives, each an
    integral of a polynomial in the similarity; Gauss-Legendre nodes give these exactly. A single
    band, which datasketch refuses, is not considered.

    Args:
        threshold: Jaccard similarity from which two sets should be proposed, 0 to 1.
        n_permutations: Length of a sketch.

    Returns:
        The number of bands and the number of rows in each.
    """
    nodes, weights = np.polynomial.legendre.leggauss(n_permutations // 2 + 1)
    low, high = threshold * (nodes + 1) / 2, threshold + (1 - threshold) * (nodes + 1) / 2
    best, split = float("inf"), (2, 1)
    for bands in range(2, n_permutations + 1):
        for rows in range(1, n_permutations // bands + 1):
            missed = (1 - threshold) * (1 - high**rows) ** bands
            wrong = threshold * (1 - (1 - low**rows) ** bands)
            error = float(weights @ (missed + wrong))
            if error < best:
                best, split = error, (bands, rows)
    return split


def cluster(
    sketches: Sketches, components: npt.NDArray[np.int32], eps: float, min_samples: int
) -> npt.NDArray[np.int64]:
    """DBSCAN on exact Jaccard distances within components; across them the distance is 1.

    Returns:
        The number of each element's cluster, -1 for noise.
    """
    from scipy.sparse import csr_matrix
    from sklearn.cluster import DBSCAN

    n_sets = len(components)
    left, right = _pairs_within(components)
    distance = jaccard_distance(sketches.labels[left], sketches.labels[right])
    matrix = csr_matrix((distance, (left, right)), shape=(n_sets, n_sets))
    found = DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed")
    return np.asarray(found.fit(matrix, sample_weight=sketches.counts).labels_)[sketches.row]


def _pairs_within(
    components: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    order = np.argsort(components, kind="stable").astype(np.int32)
    sizes = np.bincount(components)
    ends = np.cumsum(sizes)
    parts = [order[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    left = np.concatenate([np.repeat(part, len(part)) for part in parts])
    right = np.concatenate([np.tile(part, len(part)) for part in parts])
    return left, right
