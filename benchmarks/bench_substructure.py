"""List discovery: ours against the published pipeline written down naively.

Naive: networkx Weisfeiler-Lehman hashes (16 rounds), datasketch MinHash of 128 permutations in a
loop, LSH at 0.5, exact Jaccard of what LSH proposes in a dense matrix, DBSCAN at eps 0.9.
"""

from __future__ import annotations

from functools import partial

import networkx as nx
import numpy as np
from common import Row, compare, main, make_page
from datasketch import MinHash, MinHashLSH
from sklearn.cluster import DBSCAN

from odokit.dom import parse
from odokit.substructure import find_lists

SIZES = (1_000, 3_000)
ROUNDS, PERMUTATIONS, LSH_THRESHOLD, EPS = 16, 128, 0.5, 0.9


def naive(html: str) -> int:
    """Number of clusters the published pipeline finds in a page."""
    document = parse(html)
    graph = nx.DiGraph()
    for i, tag in enumerate(document.tags):
        graph.add_node(i, tag=tag)
        if document.parent[i] >= 0:
            graph.add_edge(int(document.parent[i]), i)
    hashes = nx.weisfeiler_lehman_subgraph_hashes(
        graph, node_attr="tag", iterations=ROUNDS, include_initial_labels=True
    )
    lsh = MinHashLSH(threshold=LSH_THRESHOLD, num_perm=PERMUTATIONS)
    sketches = {}
    for node, labels in hashes.items():
        sketch = MinHash(num_perm=PERMUTATIONS)
        for label in labels:
            sketch.update(label.encode())
        sketches[node] = sketch
        lsh.insert(node, sketch)
    distance = np.ones((len(document), len(document)))
    for node, sketch in sketches.items():
        for other in lsh.query(sketch):
            a, b = set(hashes[node]), set(hashes[other])
            distance[node, other] = 1 - len(a & b) / len(a | b)
    labels = DBSCAN(eps=EPS, min_samples=2, metric="precomputed").fit_predict(distance)
    return len(set(labels) - {-1})


def ours(html: str) -> int:
    """Number of lists found in a page."""
    return len(find_lists(parse(html)))


def rows(quick: bool) -> list[Row]:
    """Compare at a few sizes."""
    found = []
    for size in SIZES[:1] if quick else SIZES:
        html = make_page(size)
        nodes = len(parse(html))
        found.append(
            compare(f"find_lists {size}", nodes, partial(ours, html), partial(naive, html))
        )
    return found


if __name__ == "__main__":
    main(rows)
