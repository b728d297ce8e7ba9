"""List discovery: ours against the published pipeline written down naively.

Naive: networkx Weisfeiler-Lehman hashes (16 rounds), datasketch MinHash of 128 permutations in a
loop, LSH at 0.5, exact Jaccard of what LSH proposes in a dense matrix, DBSCAN at eps 0.9, and the
clusters whose members share one parent. *Mining* is timed from the parsed page to the lists in both
ways; *snapshot to lists* adds the parse. The naive way needs 9 GB at 20,000 elements, so that size
runs only with `--full`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import networkx as nx
import numpy as np
from common import Measured, Row, main, make_page, make_row, measure
from datasketch import MinHash, MinHashLSH
from sklearn.cluster import DBSCAN

from odokit.dom import Document, parse
from odokit.substructure import Paper, find_lists
from odokit.widgets import ListView

ROUNDS, PERMUTATIONS, LSH_THRESHOLD, EPS = 16, 128, 0.5, 0.9
REPEATS = 7
CHANGES = (
    ("exact", "level", (0, 1, 2, 4, 8, 16)),
    ("paper", "eps", (0.5, 0.95, 0.98)),
    ("paper", "lsh_threshold", (0.3, 0.4, 0.7)),
    ("hdbscan", "min_cluster_size", (3, 4, 8)),
)
Mine = Callable[[Document], object]


def naive_lists(document: Document) -> int:
    """Number of clusters with one parent that the published pipeline finds."""
    warnings.simplefilter("ignore")  # networkx tells on every call what 3.5 mended
    graph = nx.DiGraph()
    for i, tag in enumerate(document.tags):
        graph.add_node(i, tag=tag)
        if document.parent[i] >= 0:
            graph.add_edge(int(document.parent[i]), i)
    hashes = nx.weisfeiler_lehman_subgraph_hashes(
        graph, node_attr="tag", iterations=ROUNDS, include_initial_labels=True
    )
    found = DBSCAN(eps=EPS, min_samples=2, metric="precomputed").fit_predict(_distance(hashes))
    parents: dict[int, set[int]] = {}
    for element, cluster in enumerate(found.tolist()):
        parents.setdefault(cluster, set()).add(int(document.parent[element]))
    return sum(len(own) == 1 for cluster, own in parents.items() if cluster >= 0)


def _distance(hashes: dict[int, list[str]]) -> np.ndarray:
    lsh = MinHashLSH(threshold=LSH_THRESHOLD, num_perm=PERMUTATIONS)
    sketches = {}
    for element, labels in hashes.items():
        sketch = MinHash(num_perm=PERMUTATIONS)
        for label in labels:
            sketch.update(label.encode())
        sketches[element] = sketch
        lsh.insert(element, sketch)
    distance = np.ones((len(hashes), len(hashes)))
    for element, sketch in sketches.items():
        for other in lsh.query(sketch):
            a, b = set(hashes[element]), set(hashes[other])
            distance[element, other] = 1 - len(a & b) / len(a | b)
    return distance


def paper_lists(document: Document) -> object:
    """Lists by our `paper` setting with the same parameters."""
    return find_lists(document, Paper(ROUNDS, PERMUTATIONS, LSH_THRESHOLD, EPS))


def end_to_end(html: str) -> object:
    """From the snapshot to its lists."""
    return find_lists(parse(html))


def mining_seconds(mine: Mine, html: str, repeats: int) -> float:
    """Best time from a parsed page to its lists; parsed anew each time, as a page keeps results."""
    best = float("inf")
    for _ in range(repeats):
        document = parse(html)
        began = time.perf_counter()
        mine(document)
        best = min(best, time.perf_counter() - began)
    return best


def slowest_change(html: str, method: str, trait: str, values: Sequence[float]) -> float:
    """Seconds that the slowest of some changes of a slider takes in the view of lists."""
    view = ListView(html, method=method)
    slowest = 0.0
    for value in values:
        began = time.perf_counter()
        setattr(view, trait, value)
        slowest = max(slowest, time.perf_counter() - began)
    return slowest


def rows(quick: bool, *, full: bool = False) -> list[Row]:
    """Compare at the sizes the machine is asked to bear, and measure how ours grows."""
    sizes = [1_000] if quick else [5_000, 20_000] if full else [5_000]
    found = [row for size in sizes for row in _compared(make_page(size), size)]
    small, large = (500, 1_000) if quick else (10_000, 100_000)
    before, after = (_end_to_end(make_page(n)) for n in (small, large))
    times = large // small
    scaled = Measured(before.seconds * times, before.peak_mb * times, None)
    name = f"lists at {large:,} (naive: {times} x ours at {small:,})"
    return [*found, make_row(name, large, after, scaled)]


def _compared(html: str, size: int) -> list[Row]:
    n = len(parse(html))
    naive = measure(partial(mining_seconds, naive_lists, html, 1))
    naive_mining = Measured(naive.result, naive.peak_mb, None)
    mining, paper = _mined(find_lists, html, REPEATS), _mined(paper_lists, html, 1)
    return [
        make_row(f"snapshot to lists, {size:,}", n, _end_to_end(html), naive),
        make_row(f"mining lists, {size:,}", n, mining, naive_mining),
        make_row(f"mining lists, paper setting, {size:,}", n, paper, naive_mining),
        *(
            make_row(f"list view, slowest change of {trait}, {size:,}", n, changed, naive_mining)
            for trait, changed in _changes(html)
        ),
    ]


def _changes(html: str) -> Iterator[tuple[str, Measured]]:
    for method, trait, values in CHANGES:
        done = measure(partial(slowest_change, html, method, trait, values))
        yield trait, Measured(done.result, done.peak_mb, None)


def _end_to_end(html: str) -> Measured:
    return measure(partial(end_to_end, html), repeats=REPEATS)


def _mined(mine: Mine, html: str, repeats: int) -> Measured:
    done = measure(partial(mining_seconds, mine, html, repeats))
    return Measured(done.result, done.peak_mb, None)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(partial(rows, full="--full" in arguments), [a for a in arguments if a != "--full"])
