"""Rows of the store's tables as frozen dataclasses; a row's fields are its table's columns.

Empty text stands for "none" where a column refers to something; None is kept for what is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from odokit.store.table import Row


@dataclass(frozen=True)
class SnapshotRow(Row):
    """A filtered page, whole or as difference to a keyframe."""

    table = "snapshot"
    hash: str
    """Content hash."""
    page: str
    """Key of the page it was first seen on."""
    n_bytes: int
    """Size of the HTML in bytes."""
    stored_bytes: int
    """Size of `data` in bytes."""
    keyframe: str | None
    """Snapshot that is the dictionary of `data`; None when it needs none."""
    data: bytes
    """The HTML, zstd-compressed."""


@dataclass(frozen=True)
class TrajectoryRow(Row):
    """A recording without its events."""

    table = "trajectory"
    trajectory_id: str
    """Unique id."""
    content_hash: str
    """Hash of header, events and gaps."""
    task: str
    """What was demonstrated."""
    app: str
    """Name of the application."""
    start_url: str
    """Where the recording began."""
    started_at: str
    """Aware UTC time, ISO 8601."""
    n_events: int
    """Recorded events."""
    n_interactions: int
    """Events a user caused."""
    n_writes: int
    """Requests that may change data."""
    header: str
    """The whole header as its line in the recording."""
    gaps: tuple[str, ...]
    """What the recorder could not record."""
    is_sound: bool | None
    """Whether nothing was missed and every self-test passed; None when not examined."""
    health: str | None
    """The recorder's report as a JSON object; None when it made none."""


@dataclass(frozen=True)
class EventRow(Row):
    """A recorded event: what is searched for as columns, and the whole of it."""

    table = "event"
    trajectory_id: str
    """Recording it belongs to."""
    idx: int
    """Position in the recording, from 0."""
    kind: str
    """One of the ten kinds."""
    t_ms: float
    """Milliseconds since the recording began."""
    url: str
    """Address of the page."""
    role: str | None
    """ARIA role of the element."""
    name: str | None
    """Accessible name of the element."""
    xpath: str | None
    """Absolute xpath of the element."""
    value: str | None
    """Text after the entry, or the chosen option."""
    checked: bool | None
    """State of a checkbox after the event."""
    method: str | None
    """HTTP method."""
    request_url: str | None
    """Address of the request."""
    operation: str | None
    """GraphQL operation; empty for REST."""
    status: int | None
    """HTTP status; None when no answer came."""
    snapshot: str | None
    """Hash of the page before the event took effect."""
    record: str
    """The whole event as its line in the recording."""
    gesture: str | None
    """How it was clicked; None for other kinds."""
    tab: int
    """Page it happened in, in opening order from 0."""
    drop: str | None
    """Element where a drag ended, a JSON object."""
    drop_at: str | None
    """Where inside it, a JSON array of two shares."""
    files: str | None
    """Files chosen, a JSON array."""
    dialogs: str | None
    """Dialogs raised, a JSON array."""
    download: str | None
    """File name of the download it began."""
    initiator: str | None
    """What in the page sent the request; empty when not known."""


@dataclass(frozen=True)
class ModelRow(Row):
    """A behaviour model without its graph."""

    table = "model"
    model_id: str
    """Hash of inputs and parameters."""
    identity: str
    """Rule that tells which events are the same."""
    level: int
    """Weisfeiler-Lehman level of list discovery."""
    trajectories: tuple[str, ...]
    """Ids of the trajectories it was built from, in the model's order."""
    slugs: str
    """Evidence of its address templates, as JSON."""
    created_at: str
    """Aware UTC time, ISO 8601."""


@dataclass(frozen=True)
class VertexRow(Row):
    """A vertex of a model."""

    table = "vertex"
    model_id: str
    """Model it belongs to."""
    number: int
    """Vertex number, from 0."""
    name: str
    """Stable name."""
    kind: str
    """Event kind."""
    label: str
    """What it is, in a few words."""
    fixed: str
    """Fixed parameters as a JSON object."""


@dataclass(frozen=True)
class VertexEventRow(Row):
    """A timeline step mapped to a vertex, with its free target if it has one."""

    table = "vertex_event"
    model_id: str
    """Model it belongs to."""
    vertex: int
    """Vertex number."""
    trajectory_id: str
    """Trajectory of the step."""
    idx: int
    """Position in the trajectory's timeline, from 0."""
    slot: str | None = None
    """Parameter whose value picks the element; None without a free target."""
    by: str | None = None
    """`name` or `item`: where the value stands."""
    prefix: str | None = None
    """Container of the list it is picked from; None without a list."""
    tag: str | None = None
    """Tag of the list's members."""
    suffix: str | None = None
    """Path from a member down to the element."""


@dataclass(frozen=True)
class EdgeRow(Row):
    """An edge of a model."""

    table = "edge"
    model_id: str
    """Model it belongs to."""
    number: int
    """Position among the edges, from 0."""
    source: int
    """Number of the vertex it leaves."""
    target: int
    """Number of the vertex that followed."""
    count: int
    """Times the one followed the other."""
    ms: float
    """Mean milliseconds between the two."""


@dataclass(frozen=True)
class DescriptionRow(Row):
    """A description of a trajectory or vertex by one source."""

    table = "description"
    model_id: str
    """Model it belongs to."""
    subject: str
    """`trajectory:ID` or `vertex:NAME`."""
    text: str
    """The description."""
    source: str
    """`rule`, `llm` or `human`."""


@dataclass(frozen=True)
class RunRow(Row):
    """A run of a notebook or study."""

    table = "run"
    run_id: str
    """Unique id."""
    notebook: str
    """What is run."""
    started_at: str
    """Aware UTC time, ISO 8601."""
    seconds: float | None
    """How long it took; None while it runs."""
    status: str
    """Where it stands, such as `running`, `done` or `failed`."""
    agent: str = ""
    """Agent that executes the tasks."""
    policy: str = ""
    """Which deciders may answer."""
    model_id: str = ""
    """Behaviour model used."""


@dataclass(frozen=True)
class EpisodeRow(Row):
    """An execution of a task instance with its verdict."""

    table = "episode"
    run_id: str
    """Run it belongs to."""
    episode_id: str
    """Id, unique in the run."""
    template_id: str
    """Task template."""
    instance_id: str
    """Task instance."""
    role: str
    """Account that performed it."""
    agent: str
    """Agent that executed it."""
    policy: str
    """Which deciders might answer."""
    model_id: str
    """Behaviour model used."""
    task: str
    """The task in words."""
    trajectory_id: str
    """Demonstration followed."""
    outcome: str
    """`success`, `failure`, `abstained` or `error`."""
    reason: str
    """Why it ended so."""
    is_success: bool
    """Whether network and database agree with the answer key."""
    network_ok: bool | None
    """Whether every expected write was seen and no other; None when nothing was judged."""
    database_ok: bool | None
    """Whether every database check holds; None when there are none."""
    verdict: str
    """The evaluator's reasons, a line each."""
    n_replans: int
    """Times the agent had to find its way again."""
    tokens_prompt: int
    """Prompt tokens spent."""
    tokens_completion: int
    """Completion tokens spent."""
    seconds: float
    """Wall time."""
    started_at: str
    """Aware UTC time, ISO 8601."""
    blocked: tuple[str, ...] = ()
    """Writes the guard stopped."""


@dataclass(frozen=True)
class StepRow(Row):
    """An interaction an agent performed."""

    table = "step"
    run_id: str
    """Run it belongs to."""
    episode_id: str
    """Episode it belongs to."""
    number: int
    """Position in the episode, from 0."""
    label: str
    """What was done, in words."""
    vertex: str
    """Name of the vertex."""
    rung: str
    """How the element was recognised; empty when it was not."""
    confidence: float
    """Confidence of the recognition, from 0 to 1."""
    value: str
    """What was entered or chosen, secrets as placeholders."""
    seconds: float
    """From looking for the element to the end of its effects."""
    result: str
    """`done`, `kept`, or what went wrong."""
    repair: str | None = None
    """The element as it was found, as JSON, when it was found on a loose rung."""


@dataclass(frozen=True)
class DecisionRow(Row):
    """An answered decision point."""

    table = "decision"
    run_id: str
    """Run it belongs to."""
    episode_id: str
    """Episode it belongs to."""
    number: int
    """Position among the episode's decisions, from 0."""
    decision_id: str
    """Unique id."""
    point: str
    """What was decided."""
    subject: str
    """About what."""
    answer: str
    """The answer in words; never a secret."""
    means: str
    """`rule`, `local` or `llm`."""
    confidence: float
    """From 0 to 1."""
    tokens: int
    """Tokens spent on it."""
    reason: str
    """Why this answer."""


@dataclass(frozen=True)
class LLMCallRow(Row):
    """A request to a language model."""

    table = "llm_call"
    run_id: str
    """Run it belongs to."""
    episode_id: str
    """Episode it belongs to."""
    number: int
    """Position among the episode's requests, from 0."""
    call_id: str
    """Unique id."""
    at: str
    """When it was sent, ISO 8601 in UTC."""
    purpose: str
    """What it was for."""
    decision_ids: tuple[str, ...]
    """Decisions it was to settle."""
    model: str
    """Model name as sent."""
    prompt_hash: str
    """SHA-256 of the messages."""
    tokens_prompt: int
    """Prompt tokens, the cached ones among them."""
    tokens_cached: int
    """Prompt tokens read from the provider's cache."""
    tokens_completion: int
    """Completion tokens, reasoning among them."""
    tokens_reasoning: int
    """Completion tokens spent on reasoning."""
    is_counted: bool
    """Whether the tokens were counted here for want of a usage report."""
    seconds: float
    """From sending to answer or failure."""
    usd: float | None
    """Price; None when unknown."""
    outcome: str
    """`ok`, `retried` or `error`."""
