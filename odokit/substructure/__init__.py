"""Find repeated structures in a page and describe "pick one of this list" as a dynamicXpath.

The paper hashes neighbourhoods (Weisfeiler-Lehman), estimates distances (MinHash, LSH) and clusters
(DBSCAN). WL labels are nested, so on them that pipeline *is* a group-by on one level; grouping by
(label, parent) also finds two similar lists on a page, which "all members share one parent" loses.
`find_lists` does the group-by, or the published pipeline, or HDBSCAN, as its setting says.

Source: paper, section III-C1.
"""

from odokit.substructure.dynamic import Choice, DynamicXpath, dynamic_xpaths, merge_choices
from odokit.substructure.equivalence import Equivalence, compare_with_dbscan
from odokit.substructure.freedom import Freedom, Pick, decide_free, naming_value, read_pick
from odokit.substructure.items import RULES, Rule
from odokit.substructure.labels import level_of, wl_labels, wl_rounds
from odokit.substructure.lists import RepeatedList, find_clusters, find_lists, gather_lists
from odokit.substructure.settings import (
    DEFAULT_LEVEL,
    MAX_LEVEL,
    SETTINGS,
    Exact,
    Hdbscan,
    Paper,
    Scope,
    Setting,
    describe_setting,
    make_setting,
    read_setting,
)

__all__ = [
    "DEFAULT_LEVEL",
    "MAX_LEVEL",
    "RULES",
    "SETTINGS",
    "Choice",
    "DynamicXpath",
    "Equivalence",
    "Exact",
    "Freedom",
    "Hdbscan",
    "Paper",
    "Pick",
    "RepeatedList",
    "Rule",
    "Scope",
    "Setting",
    "compare_with_dbscan",
    "decide_free",
    "describe_setting",
    "dynamic_xpaths",
    "find_clusters",
    "find_lists",
    "gather_lists",
    "level_of",
    "make_setting",
    "merge_choices",
    "naming_value",
    "read_pick",
    "read_setting",
    "wl_labels",
    "wl_rounds",
]
