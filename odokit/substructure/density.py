"""List discovery by HDBSCAN, which needs no distance threshold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odokit.dom import Document
from odokit.substructure.labels import distinct, jaccard_distance, wl_rounds
from odokit.substructure.settings import Hdbscan


def hdbscan_clusters(document: Document, setting: Hdbscan) -> npt.NDArray[np.int64]:
    """Cluster the distinct label sets of a page by density.

    Forty equal cards are one set, which by itself is noise; a set with enough copies that ends as
    noise is therefore a cluster of its own.

    Returns:
        The number of each element's cluster, -1 for noise.
    """
    from hdbscan import HDBSCAN

    labels, row, counts = distinct(wl_rounds(document, setting.rounds))
    found = np.full(len(labels), -1, np.int64)
    if len(labels) > setting.min_samples and len(labels) >= setting.min_cluster_size:
        model = HDBSCAN(
            metric="precomputed",
            min_cluster_size=setting.min_cluster_size,
            min_samples=setting.min_samples,
            cluster_selection_epsilon=setting.epsilon,
            core_dist_n_jobs=1,
        )
        found = np.asarray(model.fit(jaccard_distance(labels[:, None], labels[None])).labels_)
    alone = np.flatnonzero((found < 0) & (counts >= setting.min_cluster_size))
    found = found.astype(np.int64)
    found[alone] = found.max(initial=-1) + 1 + np.arange(len(alone))
    return found[row]
