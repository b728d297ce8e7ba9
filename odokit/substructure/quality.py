"""Precision and recall of list discovery on pages whose lists of data are known.

A found container is a hit when it is labelled. It is wrong when at least two of its members show
data and it is not labelled: it offers cells of one row, or parts of the page, as if they were
things to choose between. Repetitions that show no data - navigation bars, menus, rows of buttons -
are neither: structure cannot tell them from lists, and whether a click in one is a choice is
decided from what was clicked (`freedom`). How many there are is counted too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from odokit.dom import Document
from odokit.substructure.lists import find_lists
from odokit.substructure.settings import Setting


@dataclass(frozen=True)
class DataList:
    """A labelled container: at least two of its children each show one thing of a kind.

    Attributes:
        container: Absolute xpath.
        tag: Tag of the children.
        kind: What they show, in the words of the labels.
    """

    container: str
    tag: str
    kind: str


@dataclass(frozen=True)
class LabelledPage:
    """A page whose lists of data are known.

    Attributes:
        document: The parsed snapshot.
        lists: Its lists of data.
        data: Numbers of the elements whose own text shows a thing that some list may hold.
    """

    document: Document
    lists: tuple[DataList, ...]
    data: tuple[int, ...]


@dataclass(frozen=True)
class ListQuality:
    """How well containers were found.

    Attributes:
        n_pages: Pages looked at.
        n_labelled: Containers labelled on them.
        n_found: Containers found, whatever they hold.
        n_hit: Containers found that are labelled.
        n_wrong: Containers found that show data but are not labelled.
    """

    n_pages: int
    n_labelled: int
    n_found: int
    n_hit: int
    n_wrong: int

    @property
    def recall(self) -> float:
        """Labelled containers that were found, as a share."""
        return self.n_hit / self.n_labelled if self.n_labelled else 1.0

    @property
    def precision(self) -> float:
        """Hits among the containers found that show data."""
        judged = self.n_hit + self.n_wrong
        return self.n_hit / judged if judged else 1.0


def score_lists(pages: Iterable[LabelledPage], setting: Setting) -> ListQuality:
    """Find the lists of labelled pages and count hits, misses and mistakes."""
    n_pages = n_labelled = n_found = n_hit = n_wrong = 0
    for page in pages:
        labelled = {(one.container, one.tag) for one in page.lists}
        before = np.zeros(len(page.document) + 1, np.int64)
        before[np.asarray(page.data, np.int64) + 1] = 1
        before = np.cumsum(before)
        n_pages, n_labelled = n_pages + 1, n_labelled + len(labelled)
        for found in find_lists(page.document, setting):
            n_found += 1
            if (found.container, found.tag) in labelled:
                n_hit += 1
                continue
            members = [m for xpath in found.members if (m := page.document.find(xpath)) is not None]
            showing = before[page.document.ends[members]] - before[members]
            n_wrong += int((showing > 0).sum()) > 1
    return ListQuality(n_pages, n_labelled, n_found, n_hit, n_wrong)


@dataclass(frozen=True)
class ClickQuality:
    """How well free clicks were told from fixed ones.

    Attributes:
        n_clicks: Labelled clicks.
        n_free: Those labelled free.
        n_hit: Free ones that were decided free.
        n_wrong: Fixed ones that were decided free.
    """

    n_clicks: int
    n_free: int
    n_hit: int
    n_wrong: int

    @property
    def recall(self) -> float:
        """Free clicks that were decided free, as a share."""
        return self.n_hit / self.n_free if self.n_free else 1.0

    @property
    def precision(self) -> float:
        """Free clicks among those decided free."""
        decided = self.n_hit + self.n_wrong
        return self.n_hit / decided if decided else 1.0


def score_clicks(judged: Iterable[tuple[bool, bool]]) -> ClickQuality:
    """Count what was decided of labelled clicks.

    Args:
        judged: For each click whether it is free, and whether it was decided to be.
    """
    pairs = list(judged)
    return ClickQuality(
        n_clicks=len(pairs),
        n_free=sum(is_free for is_free, _ in pairs),
        n_hit=sum(is_free and decided for is_free, decided in pairs),
        n_wrong=sum(decided and not is_free for is_free, decided in pairs),
    )
