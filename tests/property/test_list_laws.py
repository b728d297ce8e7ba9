"""The published clustering is a group-by on one level: on random pages and on real ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import DBSCAN
from test_structure_laws import PAGES, partition

from odokit.dom import Document, parse
from odokit.record.snapshots import SnapshotFolder
from odokit.substructure import (
    Exact,
    Hdbscan,
    Paper,
    find_clusters,
    find_lists,
    level_of,
    wl_labels,
    wl_rounds,
)
from odokit.substructure.labels import jaccard_distance
from odokit.substructure.paper import lsh_bands

DATA = Path(__file__).parents[2] / "data" / "testbeds"
MAX_ELEMENTS = 700
EXAMPLES = settings(deadline=None, max_examples=40)
FEW = settings(deadline=None, max_examples=15)


@cache
def real_page(app: str) -> Document:
    """The largest snapshot of a test bed's demonstrations that a dense matrix is quick for."""
    root = DATA / app / "demonstrations" / "snapshots"
    folder = SnapshotFolder(root)
    names = sorted(path.name.split(".")[0] for path in root.rglob("*.zst"))
    pages = (parse(folder.get(name)) for name in names[:40])
    return max((p for p in pages if len(p) <= MAX_ELEMENTS), key=len)


def clusters(found: npt.NDArray[np.int64]) -> set[frozenset[int]]:
    return {group for group in partition(found.tolist()) if found[min(group)] >= 0}


def grouped(document: Document, level: int | None, min_samples: int) -> set[frozenset[int]]:
    """Elements by their label of one level, groups of at least `min_samples`."""
    if level is None:
        groups = frozenset([frozenset(range(len(document)))])
    else:
        groups = partition(wl_labels(document, level).tolist())
    return {group for group in groups if len(group) >= min_samples}


def dense(document: Document, rounds: int) -> npt.NDArray[np.float64]:
    """Jaccard distances of all pairs, of the label sets as sets."""
    sets = [set(row.tolist()) for row in wl_rounds(document, rounds)]
    return np.array([[1 - len(a & b) / len(a | b) for b in sets] for a in sets])


@EXAMPLES
@given(PAGES, st.integers(0, 6))
def test_labels_are_nested_so_that_distance_depends_on_the_depth_of_agreement(
    document: Document, rounds: int
) -> None:
    labels = wl_rounds(document, rounds)
    agree = labels[:, None] == labels[None]
    assert (np.diff(agree.astype(int), axis=2) <= 0).all()
    np.testing.assert_allclose(
        jaccard_distance(labels[:, None], labels[None]), dense(document, rounds)
    )


@EXAMPLES
@given(PAGES, st.integers(0, 6), st.floats(0.001, 1), st.integers(1, 4))
def test_dbscan_is_a_group_by_at_any_distance(
    document: Document, rounds: int, eps: float, min_samples: int
) -> None:
    model = DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed")
    found = model.fit(dense(document, rounds)).labels_
    assert clusters(found) == grouped(document, level_of(eps, rounds), min_samples)


@pytest.mark.parametrize("app", ["kolibri", "oscar", "vendure"])
@pytest.mark.parametrize(("rounds", "eps", "min_samples"), [(16, 0.9, 2), (4, 0.5, 3), (4, 0.9, 2)])
def test_dbscan_is_a_group_by_on_real_pages(
    app: str, rounds: int, eps: float, min_samples: int
) -> None:
    document = real_page(app)
    labels = wl_rounds(document, rounds)
    distance = jaccard_distance(labels[:, None], labels[None])
    model = DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed")
    found = model.fit(distance).labels_
    assert clusters(found) == grouped(document, level_of(eps, rounds), min_samples)
    assert len(clusters(found)) > 5


@FEW
@given(PAGES, st.sampled_from([0.3, 0.5, 0.8]), st.sampled_from([0.2, 0.5, 0.9]), st.integers(1, 3))
def test_the_paper_setting_is_its_pipeline_written_down_plainly(
    document: Document, threshold: float, eps: float, min_samples: int
) -> None:
    rounds, n_permutations = 4, 32
    labels = wl_rounds(document, rounds)
    index = MinHashLSH(threshold=threshold, num_perm=n_permutations)
    sketches = []
    for number, row in enumerate(labels):
        one = MinHash(num_perm=n_permutations)
        for label in row:
            one.update(label.tobytes())
        index.insert(number, one)
        sketches.append(one)
    near = np.zeros((len(document), len(document)), bool)
    for number, one in enumerate(sketches):
        near[number, index.query(one)] = True
    component = connected_components(near, directed=False)[1]
    distance = np.where(component[:, None] == component[None], dense(document, rounds), 1.0)
    model = DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed")
    plain = model.fit(distance).labels_
    setting = Paper(rounds, n_permutations, threshold, eps, min_samples)
    assert clusters(find_clusters(document, setting)) == clusters(plain)


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("n_permutations", [16, 64])
def test_sketches_are_split_into_bands_as_datasketch_does(
    threshold: float, n_permutations: int
) -> None:
    theirs = MinHashLSH(threshold=threshold, num_perm=n_permutations)
    assert lsh_bands(threshold, n_permutations) == (theirs.b, theirs.r)


@FEW
@given(PAGES)
def test_behind_an_lsh_that_proposes_all_alike_the_paper_finds_the_lists_of_one_level(
    document: Document,
) -> None:
    # Elements that agree at a level are joined in one component by what LSH proposes of equal
    # ones; those it misses are the only difference, so every list it finds is one of ours.
    level = level_of(0.5, 4)
    assert level is not None
    ours = {(f.container, f.tag): set(f.members) for f in find_lists(document, Exact(level, ()))}
    for found in find_lists(document, Paper(4, 64, 0.5, 0.5, scope="parent")):
        assert set(found.members) <= ours[found.container, found.tag]


@FEW
@given(PAGES)
def test_hdbscan_never_parts_equal_elements(document: Document) -> None:
    found = find_clusters(document, Hdbscan(rounds=4))
    for group in partition(wl_labels(document, 4).tolist()):
        assert len({int(found[i]) for i in group}) == 1
        assert len(group) == 1 or found[min(group)] >= 0
