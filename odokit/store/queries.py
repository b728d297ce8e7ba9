"""Example queries over the views: answers to common questions, and patterns for one's own."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import polars as pl

from odokit.errors import StoreError
from odokit.store.connect import wrapped


@dataclass(frozen=True)
class Query:
    """A question with the SQL that answers it."""

    name: str
    """What it is asked for by."""
    question: str
    """The question."""
    sql: str
    """One SELECT over the documented views."""


QUERIES = (
    Query(
        "controls",
        "Which controls are used most often, and in how many demonstrations?",
        "SELECT kind, role, name, count(*) AS times, "
        "count(DISTINCT trajectory_id) AS demonstrations FROM v_event WHERE name <> '' "
        "GROUP BY ALL ORDER BY times DESC, kind, role, name",
    ),
    Query(
        "writes",
        "Which requests change data, how often, and how are they answered?",
        r"SELECT method, regexp_replace(regexp_replace(request_url, '^[a-z]+://[^/]+|[?#].*$', '', "
        r"'g'), '[0-9a-f-]{8,}|\d+', '*', 'g') AS path, operation, count(*) AS times, "
        "list(DISTINCT status ORDER BY status) AS statuses FROM v_event WHERE method IS NOT NULL "
        "GROUP BY ALL ORDER BY times DESC, method, path",
    ),
    Query(
        "refused",
        "Which requests were refused or never answered?",
        "SELECT trajectory_id, idx, method, request_url, status FROM v_event WHERE method IS NOT "
        "NULL AND (status IS NULL OR status = 0 OR status >= 400) ORDER BY trajectory_id, idx",
    ),
    Query(
        "pauses",
        "Before which actions do people think longest?",
        "SELECT trajectory_id, idx, kind, name, (t_ms - lag(t_ms) OVER (PARTITION BY trajectory_id "
        "ORDER BY idx)) / 1000 AS seconds FROM v_event WHERE role IS NOT NULL "
        "QUALIFY seconds IS NOT NULL ORDER BY seconds DESC, trajectory_id, idx",
    ),
    Query(
        "pages",
        "Which pages were seen in how many states, and how small are they kept?",
        "SELECT page, count(*) AS states, sum(n_events)::BIGINT AS events, "
        "sum(bytes) / 1e6 AS html_mb, sum(stored_bytes) / 1e6 AS stored_mb, "
        "sum(bytes) / sum(stored_bytes) AS ratio FROM v_snapshot GROUP BY page "
        "ORDER BY states DESC, page",
    ),
    Query(
        "unsound",
        "Which recordings have gaps or failed a self-test?",
        "SELECT trajectory_id, task, n_gaps, is_sound FROM v_trajectory "
        "WHERE n_gaps > 0 OR NOT coalesce(is_sound, TRUE) ORDER BY n_gaps DESC, trajectory_id",
    ),
    Query(
        "outcomes",
        "How often does each task template succeed, and for how many tokens?",
        "SELECT template_id, policy, count(*) AS tasks, avg(is_success::INTEGER) AS success, "
        "avg(tokens) AS tokens, avg(seconds) AS seconds FROM v_episode GROUP BY ALL "
        "ORDER BY success, template_id, policy",
    ),
    Query(
        "decisions",
        "Which decisions are taken by which means, and what do they cost?",
        "SELECT point, means, count(*) AS times, avg(confidence) AS confidence, "
        "sum(tokens)::BIGINT AS tokens FROM v_decision GROUP BY ALL ORDER BY tokens DESC, times "
        "DESC, point, means",
    ),
)


def list_queries() -> pl.DataFrame:
    """The examples; see `EventStore.queries`."""
    rows = [(query.name, query.question, query.sql) for query in QUERIES]
    return pl.DataFrame(rows, schema=["name", "question", "sql"], orient="row")


def run_query(connection: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    """The answer of an example; see `EventStore.query`."""
    known = {query.name: query.sql for query in QUERIES}
    if name not in known:
        raise StoreError(f"there is no query {name!r}; the queries are {', '.join(known)}.")
    with wrapped(f"answer {name}"):
        found: pl.DataFrame = connection.sql(known[name]).pl()
    return found
