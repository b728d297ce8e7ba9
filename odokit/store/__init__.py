"""The store: one DuckDB file a workspace, with all SQL of odokit."""

from odokit.store.compact import CompactReport
from odokit.store.ingest import IngestReport
from odokit.store.rows import (
    DecisionRow,
    DescriptionRow,
    EdgeRow,
    EpisodeRow,
    LLMCallRow,
    ModelRow,
    RunRow,
    StepRow,
    VertexEventRow,
    VertexRow,
)
from odokit.store.store import EventStore, StoredModel

__all__ = [
    "CompactReport",
    "DecisionRow",
    "DescriptionRow",
    "EdgeRow",
    "EpisodeRow",
    "EventStore",
    "IngestReport",
    "LLMCallRow",
    "ModelRow",
    "RunRow",
    "StepRow",
    "StoredModel",
    "VertexEventRow",
    "VertexRow",
]
