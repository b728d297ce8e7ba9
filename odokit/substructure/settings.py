"""The three ways to find lists, each with every threshold it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from odokit.errors import NavModelError
from odokit.substructure.items import RULES, Rule

DEFAULT_LEVEL = 3
"""The least at which precision and recall reach 0.95 on every test bed (`odokit lists quality`)."""
MAX_LEVEL = 16
Scope = Literal["parent", "cluster"]
"""What members of a list must share besides likeness: within a cluster, those of one parent are a
list (`parent`), or a cluster is a list only when it has one parent as a whole (`cluster`)."""


@dataclass(frozen=True)
class Exact:
    """Group by one Weisfeiler-Lehman level and by parent; nothing is estimated.

    Attributes:
        level: How deep members must be alike, 0 (the bare tag) to 16.
        rules: What tells items from other alike siblings.
    """

    level: int = DEFAULT_LEVEL
    rules: tuple[Rule, ...] = RULES

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        _check("level", self.level, 0, MAX_LEVEL)


@dataclass(frozen=True)
class Paper:
    """The published pipeline: label sets, MinHash, LSH, DBSCAN.

    Attributes:
        rounds: Weisfeiler-Lehman rounds whose labels make up an element's set, 0 to 16.
        n_permutations: Length of a MinHash sketch, 16 to 1024.
        lsh_threshold: Jaccard similarity from which LSH should propose two elements, over 0 to 1.
        eps: Largest Jaccard distance between neighbours in DBSCAN, over 0 to 1.
        min_samples: Elements that make a dense region, itself included, at least 1.
        scope: What a cluster needs to be a list; `cluster` as published.
        rules: What tells items from other alike siblings; nothing, as published.

    Source: paper, section III-C1, which gives no values; these are the defaults of its service.
    """

    rounds: int = 16
    n_permutations: int = 256
    lsh_threshold: float = 0.5
    eps: float = 0.9
    min_samples: int = 2
    scope: Scope = "cluster"
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        _check("rounds", self.rounds, 0, MAX_LEVEL)
        _check("n_permutations", self.n_permutations, 16, 1024)
        _check("lsh_threshold", self.lsh_threshold, 0.01, 1)
        _check("eps", self.eps, 0.001, 1)
        _check("min_samples", self.min_samples, 1, 1_000_000)


@dataclass(frozen=True)
class Hdbscan:
    """HDBSCAN over the distinct label sets; what occurs several times is added again.

    Attributes:
        rounds: Weisfeiler-Lehman rounds whose labels make up an element's set, 0 to 16.
        min_cluster_size: Fewest distinct label sets, or copies of one, in a cluster, at least 2.
        min_samples: Neighbours that make a region dense, at least 1.
        epsilon: Clusters nearer than this are not split, 0 to 1.
        scope: What a cluster needs to be a list.
        rules: What tells items from other alike siblings.
    """

    rounds: int = 16
    min_cluster_size: int = 2
    min_samples: int = 1
    epsilon: float = 0.0
    scope: Scope = "parent"
    rules: tuple[Rule, ...] = RULES

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        _check("rounds", self.rounds, 0, MAX_LEVEL)
        _check("min_cluster_size", self.min_cluster_size, 2, 1_000_000)
        _check("min_samples", self.min_samples, 1, 1_000_000)
        _check("epsilon", self.epsilon, 0, 1)


Setting = Exact | Paper | Hdbscan
SETTINGS: Mapping[str, type[Exact] | type[Paper] | type[Hdbscan]] = {
    "exact": Exact,
    "paper": Paper,
    "hdbscan": Hdbscan,
}
"""The settings by name."""


def make_setting(name: str, **parameters: Any) -> Setting:
    """Make a setting from its name, as notebooks and the command line have it.

    Args:
        name: `exact`, `paper` or `hdbscan`.
        parameters: Fields of the setting; what is left out has its default.

    Raises:
        NavModelError: The name or a parameter is unknown, or a value out of its range.
    """
    if name not in SETTINGS:
        raise NavModelError(
            f"list discovery has no setting {name!r}; choose one of {', '.join(SETTINGS)}."
        )
    kind = SETTINGS[name]
    unknown = sorted(set(parameters) - set(kind.__dataclass_fields__))
    if unknown:
        raise NavModelError(
            f"setting {name!r} of list discovery has no parameter {', '.join(unknown)}; "
            f"it has {', '.join(kind.__dataclass_fields__)}."
        )
    return kind(**parameters)


def read_setting(text: str) -> Setting:
    """Read a setting as `describe_setting` writes it, such as `paper eps=0.5 rules=none`.

    Raises:
        NavModelError: It is no such text.
    """
    name, *assignments = text.split()
    parameters: dict[str, Any] = {}
    for assignment in assignments:
        key, found, value = assignment.partition("=")
        if not found:
            raise NavModelError(f"{assignment!r} in the setting {text!r} is not name=value.")
        parameters[key] = _parsed(key, value)
    return make_setting(name, **parameters)


def _parsed(key: str, value: str) -> Any:
    if key == "rules":
        return () if value == "none" else tuple(value.split(","))
    if key == "scope":
        return value
    try:
        return float(value) if "." in value else int(value)
    except ValueError as error:
        raise NavModelError(f"{key}={value} of list discovery is not a number.") from error


def describe_setting(setting: Setting) -> str:
    """A setting in a few words: its name and what differs from its defaults."""
    name = next(name for name, kind in SETTINGS.items() if isinstance(setting, kind))
    defaults = asdict(SETTINGS[name]())
    changed = {k: v for k, v in asdict(setting).items() if v != defaults[k]}
    return " ".join([name, *(f"{k}={_brief(v)}" for k, v in changed.items())])


def _brief(value: Any) -> str:
    return (",".join(value) or "none") if isinstance(value, tuple) else str(value)


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise NavModelError(
            f"{name} of list discovery is {value}, but must lie in {low} to {high}."
        )
