-- Tables, then the views that notebooks read. Rows refer to each other by natural ids. Foreign keys
-- stand where rows are written once; runs and models are replaced, which DuckDB's foreign keys
-- forbid, so `EventStore.check` looks after them instead.

CREATE TABLE migration (
    number INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    applied_at VARCHAR NOT NULL
);

CREATE TABLE snapshot (
    hash VARCHAR PRIMARY KEY,
    page VARCHAR NOT NULL,
    n_bytes BIGINT NOT NULL,
    stored_bytes BIGINT NOT NULL,
    keyframe VARCHAR,
    data BLOB NOT NULL
);
COMMENT ON COLUMN snapshot.keyframe IS 'Snapshot that is the dictionary of data; NULL: none needed';

CREATE TABLE trajectory (
    trajectory_id VARCHAR PRIMARY KEY,
    content_hash VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    app VARCHAR NOT NULL,
    start_url VARCHAR NOT NULL,
    started_at VARCHAR NOT NULL,
    n_events BIGINT NOT NULL,
    n_interactions BIGINT NOT NULL,
    n_writes BIGINT NOT NULL,
    header VARCHAR NOT NULL,
    gaps VARCHAR[] NOT NULL
);

CREATE TABLE event (
    trajectory_id VARCHAR NOT NULL REFERENCES trajectory (trajectory_id),
    idx BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    t_ms DOUBLE NOT NULL,
    url VARCHAR NOT NULL,
    role VARCHAR,
    name VARCHAR,
    xpath VARCHAR,
    value VARCHAR,
    checked BOOLEAN,
    method VARCHAR,
    request_url VARCHAR,
    operation VARCHAR,
    status BIGINT,
    snapshot VARCHAR REFERENCES snapshot (hash),
    record VARCHAR NOT NULL,
    PRIMARY KEY (trajectory_id, idx)
);
COMMENT ON COLUMN event.record IS 'The whole event as its line in the recording';

CREATE TABLE model (
    model_id VARCHAR PRIMARY KEY,
    identity VARCHAR NOT NULL,
    level BIGINT NOT NULL,
    trajectories VARCHAR[] NOT NULL,
    slugs VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL
);

CREATE TABLE vertex (
    model_id VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    fixed VARCHAR NOT NULL,
    PRIMARY KEY (model_id, number)
);

CREATE TABLE vertex_event (
    model_id VARCHAR NOT NULL,
    vertex BIGINT NOT NULL,
    trajectory_id VARCHAR NOT NULL,
    idx BIGINT NOT NULL,
    slot VARCHAR,
    "by" VARCHAR,
    prefix VARCHAR,
    tag VARCHAR,
    suffix VARCHAR,
    PRIMARY KEY (model_id, trajectory_id, idx)
);

CREATE TABLE edge (
    model_id VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    source BIGINT NOT NULL,
    target BIGINT NOT NULL,
    count BIGINT NOT NULL,
    ms DOUBLE NOT NULL,
    PRIMARY KEY (model_id, number)
);

CREATE TABLE description (
    model_id VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    PRIMARY KEY (model_id, subject, source)
);

CREATE TABLE run (
    run_id VARCHAR PRIMARY KEY,
    notebook VARCHAR NOT NULL,
    started_at VARCHAR NOT NULL,
    seconds DOUBLE,
    status VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    policy VARCHAR NOT NULL,
    model_id VARCHAR NOT NULL
);

CREATE TABLE episode (
    run_id VARCHAR NOT NULL,
    episode_id VARCHAR NOT NULL,
    template_id VARCHAR NOT NULL,
    instance_id VARCHAR NOT NULL,
    role VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    policy VARCHAR NOT NULL,
    model_id VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    trajectory_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    is_success BOOLEAN NOT NULL,
    network_ok BOOLEAN,
    database_ok BOOLEAN,
    verdict VARCHAR NOT NULL,
    n_replans BIGINT NOT NULL,
    tokens_prompt BIGINT NOT NULL,
    tokens_completion BIGINT NOT NULL,
    seconds DOUBLE NOT NULL,
    started_at VARCHAR NOT NULL,
    blocked VARCHAR[] NOT NULL,
    PRIMARY KEY (run_id, episode_id)
);

CREATE TABLE step (
    run_id VARCHAR NOT NULL,
    episode_id VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    label VARCHAR NOT NULL,
    vertex VARCHAR NOT NULL,
    rung VARCHAR NOT NULL,
    confidence DOUBLE NOT NULL,
    value VARCHAR NOT NULL,
    seconds DOUBLE NOT NULL,
    result VARCHAR NOT NULL,
    PRIMARY KEY (run_id, episode_id, number)
);

CREATE TABLE decision (
    run_id VARCHAR NOT NULL,
    episode_id VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    decision_id VARCHAR NOT NULL,
    point VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    answer VARCHAR NOT NULL,
    means VARCHAR NOT NULL,
    confidence DOUBLE NOT NULL,
    tokens BIGINT NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (run_id, episode_id, number)
);

CREATE TABLE llm_call (
    run_id VARCHAR NOT NULL,
    episode_id VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    call_id VARCHAR NOT NULL,
    "at" VARCHAR NOT NULL,
    purpose VARCHAR NOT NULL,
    decision_ids VARCHAR[] NOT NULL,
    model VARCHAR NOT NULL,
    prompt_hash VARCHAR NOT NULL,
    tokens_prompt BIGINT NOT NULL,
    tokens_cached BIGINT NOT NULL,
    tokens_completion BIGINT NOT NULL,
    tokens_reasoning BIGINT NOT NULL,
    is_counted BOOLEAN NOT NULL,
    seconds DOUBLE NOT NULL,
    usd DOUBLE,
    outcome VARCHAR NOT NULL,
    PRIMARY KEY (run_id, episode_id, number)
);

-- ------------------------------------------------------------------------------------------ views

CREATE VIEW v_trajectory AS
SELECT
    trajectory_id, task, app, start_url, started_at, n_events, n_interactions, n_writes,
    coalesce(e.n_snapshots, 0) AS n_snapshots,
    len(gaps) AS n_gaps
FROM trajectory
LEFT JOIN (
    SELECT trajectory_id, count(DISTINCT snapshot) AS n_snapshots FROM event GROUP BY ALL
) AS e USING (trajectory_id)
ORDER BY trajectory_id;

CREATE VIEW v_event AS
SELECT
    trajectory_id, idx, kind, t_ms, url, role, name, xpath, value, checked, method, request_url,
    operation, status, snapshot
FROM event
ORDER BY trajectory_id, idx;

CREATE VIEW v_snapshot AS
SELECT
    hash, page, n_bytes AS bytes, stored_bytes, keyframe IS NULL AS is_keyframe,
    coalesce(e.n_events, 0) AS n_events
FROM snapshot
LEFT JOIN (
    SELECT snapshot AS hash, count(*) AS n_events FROM event WHERE snapshot IS NOT NULL GROUP BY ALL
) AS e USING (hash)
ORDER BY page, hash;

CREATE VIEW v_model AS
SELECT
    model_id, identity, level,
    coalesce(v.n_vertices, 0) AS n_vertices,
    coalesce(e.n_edges, 0) AS n_edges,
    len(trajectories) AS n_trajectories,
    created_at
FROM model
LEFT JOIN (SELECT model_id, count(*) AS n_vertices FROM vertex GROUP BY ALL) AS v USING (model_id)
LEFT JOIN (SELECT model_id, count(*) AS n_edges FROM edge GROUP BY ALL) AS e USING (model_id)
ORDER BY created_at, model_id;

-- A target is free when the element depends on the task in at least half of the instances.
CREATE VIEW v_vertex AS
SELECT
    v.model_id, v.name AS vertex, v.number, v.kind, v.label, v.fixed,
    coalesce(i.n_instances, 0) AS n_instances,
    coalesce(i.n_trajectories, 0) AS n_trajectories,
    coalesce(i.n_free > 0 AND 2 * i.n_free >= i.n_instances, FALSE) AS has_free_target,
    coalesce(i.n_lists, 0) AS n_lists
FROM vertex AS v
LEFT JOIN (
    SELECT
        model_id, vertex,
        count(*) AS n_instances,
        count(DISTINCT trajectory_id) AS n_trajectories,
        count(slot) AS n_free,
        count(DISTINCT (prefix, tag, suffix)) FILTER (prefix IS NOT NULL) AS n_lists
    FROM vertex_event
    GROUP BY ALL
) AS i ON i.model_id = v.model_id AND i.vertex = v.number
ORDER BY v.model_id, v.number;

CREATE VIEW v_edge AS
SELECT
    e.model_id, a.name AS source, b.name AS target, a.label AS source_label,
    b.label AS target_label, e.count, e.ms
FROM edge AS e
JOIN vertex AS a ON a.model_id = e.model_id AND a.number = e.source
JOIN vertex AS b ON b.model_id = e.model_id AND b.number = e.target
ORDER BY e.model_id, e.number;

CREATE VIEW v_dynamic_xpath AS
SELECT
    v.model_id, v.name AS vertex, v.label, i.prefix, i.tag, i.suffix, count(*) AS n_instances
FROM vertex_event AS i
JOIN vertex AS v ON v.model_id = i.model_id AND v.number = i.vertex
WHERE i.prefix IS NOT NULL
GROUP BY v.model_id, v.number, v.name, v.label, i.prefix, i.tag, i.suffix
ORDER BY v.model_id, v.number, i.prefix, i.tag, i.suffix;

CREATE VIEW v_description AS
SELECT model_id, subject, text, source FROM description ORDER BY model_id, subject, source;

CREATE VIEW v_run AS
SELECT
    run_id, notebook, started_at, seconds, status, agent, policy, model_id,
    coalesce(e.n_tasks, 0) AS n_tasks,
    coalesce(e.n_success, 0) AS n_success,
    coalesce(e.n_abstained, 0) AS n_abstained,
    coalesce(e.n_failure, 0) AS n_failure,
    coalesce(e.n_error, 0) AS n_error,
    coalesce(e.tokens_prompt, 0) AS tokens_prompt,
    coalesce(e.tokens_completion, 0) AS tokens_completion
FROM run
LEFT JOIN (
    SELECT
        run_id,
        count(*) AS n_tasks,
        count(*) FILTER (outcome = 'success') AS n_success,
        count(*) FILTER (outcome = 'abstained') AS n_abstained,
        count(*) FILTER (outcome = 'failure') AS n_failure,
        count(*) FILTER (outcome = 'error') AS n_error,
        sum(tokens_prompt)::BIGINT AS tokens_prompt,
        sum(tokens_completion)::BIGINT AS tokens_completion
    FROM episode
    GROUP BY run_id
) AS e USING (run_id)
ORDER BY started_at, run_id;

CREATE VIEW v_episode AS
SELECT
    run_id, episode_id, template_id, instance_id, role, agent, policy, model_id, task,
    trajectory_id, outcome, reason, is_success, network_ok, database_ok, verdict,
    coalesce(s.n_steps, 0) AS n_steps,
    n_replans,
    coalesce(d.n_decisions, 0) AS n_decisions,
    coalesce(c.n_llm_calls, 0) AS n_llm_calls,
    tokens_prompt, tokens_completion,
    tokens_prompt + tokens_completion AS tokens,
    seconds, started_at
FROM episode
LEFT JOIN (
    SELECT run_id, episode_id, count(*) AS n_steps FROM step GROUP BY ALL
) AS s USING (run_id, episode_id)
LEFT JOIN (
    SELECT run_id, episode_id, count(*) AS n_decisions FROM decision GROUP BY ALL
) AS d USING (run_id, episode_id)
LEFT JOIN (
    SELECT run_id, episode_id, count(*) AS n_llm_calls FROM llm_call GROUP BY ALL
) AS c USING (run_id, episode_id)
ORDER BY started_at, run_id, episode_id;

CREATE VIEW v_step AS
SELECT
    run_id, episode_id, number, label, vertex, rung, confidence, value, seconds, result
FROM step
ORDER BY run_id, episode_id, number;

CREATE VIEW v_decision AS
SELECT
    run_id, episode_id, decision_id, point, subject, answer, means, confidence, tokens, reason
FROM decision
ORDER BY run_id, episode_id, number;

CREATE VIEW v_llm_call AS
SELECT
    run_id, episode_id, call_id, "at", purpose, model, prompt_hash, tokens_prompt, tokens_cached,
    tokens_completion, tokens_reasoning, is_counted, seconds, usd, outcome
FROM llm_call
ORDER BY run_id, episode_id, number;

-- ------------------------------------------------------- what the views and their columns mean

COMMENT ON VIEW v_trajectory IS 'One row a recorded demonstration or execution.';
COMMENT ON COLUMN v_trajectory.trajectory_id IS 'Unique id of the recording';
COMMENT ON COLUMN v_trajectory.task IS 'What was demonstrated, in the demonstrator''s words';
COMMENT ON COLUMN v_trajectory.app IS 'Name of the application';
COMMENT ON COLUMN v_trajectory.start_url IS 'Address where the recording began';
COMMENT ON COLUMN v_trajectory.started_at IS 'When it began, ISO 8601 in UTC';
COMMENT ON COLUMN v_trajectory.n_events IS 'Recorded events';
COMMENT ON COLUMN v_trajectory.n_interactions IS 'Events a user caused: clicks, entries, choices';
COMMENT ON COLUMN v_trajectory.n_writes IS 'Requests that may change data';
COMMENT ON COLUMN v_trajectory.n_snapshots IS 'Different page snapshots its events refer to';
COMMENT ON COLUMN v_trajectory.n_gaps IS 'Things the recorder saw but could not record';

COMMENT ON VIEW v_event IS 'One row a recorded event.';
COMMENT ON COLUMN v_event.trajectory_id IS 'Recording it belongs to';
COMMENT ON COLUMN v_event.idx IS 'Position in the recording, from 0';
COMMENT ON COLUMN v_event.kind IS 'One of the ten event kinds';
COMMENT ON COLUMN v_event.t_ms IS 'Milliseconds since the recording began';
COMMENT ON COLUMN v_event.url IS 'Address of the page when it happened';
COMMENT ON COLUMN v_event.role IS 'ARIA role of the element acted on';
COMMENT ON COLUMN v_event.name IS 'Accessible name of the element acted on';
COMMENT ON COLUMN v_event.xpath IS 'Absolute xpath of the element acted on';
COMMENT ON COLUMN v_event.value IS 'Text after the entry, or label of the chosen option';
COMMENT ON COLUMN v_event.checked IS 'State of the checkbox after the event';
COMMENT ON COLUMN v_event.method IS 'HTTP method of the request';
COMMENT ON COLUMN v_event.request_url IS 'Address of the request';
COMMENT ON COLUMN v_event.operation IS 'GraphQL operation; empty for REST';
COMMENT ON COLUMN v_event.status IS 'HTTP status of the answer; NULL when none came';
COMMENT ON COLUMN v_event.snapshot IS 'Hash of the page snapshot taken before it took effect';

COMMENT ON VIEW v_snapshot IS 'One row a different page snapshot.';
COMMENT ON COLUMN v_snapshot.hash IS 'Hash of its content';
COMMENT ON COLUMN v_snapshot.page IS 'Page it was first seen on: path and route, ids starred';
COMMENT ON COLUMN v_snapshot.bytes IS 'Size of the HTML in bytes';
COMMENT ON COLUMN v_snapshot.stored_bytes IS 'Size in this file in bytes';
COMMENT ON COLUMN v_snapshot.is_keyframe IS 'Whether it is stored whole; else as difference to a keyframe';
COMMENT ON COLUMN v_snapshot.n_events IS 'Events that refer to it';

COMMENT ON VIEW v_model IS 'One row a behaviour model.';
COMMENT ON COLUMN v_model.model_id IS 'Hash of its inputs and parameters';
COMMENT ON COLUMN v_model.identity IS 'Rule that tells which events are the same';
COMMENT ON COLUMN v_model.level IS 'Weisfeiler-Lehman level of list discovery';
COMMENT ON COLUMN v_model.n_vertices IS 'Vertices';
COMMENT ON COLUMN v_model.n_edges IS 'Edges';
COMMENT ON COLUMN v_model.n_trajectories IS 'Trajectories it was built from';
COMMENT ON COLUMN v_model.created_at IS 'When it was saved last, ISO 8601 in UTC';

COMMENT ON VIEW v_vertex IS 'One row a vertex of a model.';
COMMENT ON COLUMN v_vertex.model_id IS 'Model it belongs to';
COMMENT ON COLUMN v_vertex.vertex IS 'Stable name, a hash of its key';
COMMENT ON COLUMN v_vertex.number IS 'Number in the graph, by first appearance';
COMMENT ON COLUMN v_vertex.kind IS 'Event kind';
COMMENT ON COLUMN v_vertex.label IS 'What it is, in a few words';
COMMENT ON COLUMN v_vertex.fixed IS 'Its fixed parameters as a JSON object';
COMMENT ON COLUMN v_vertex.n_instances IS 'Timeline steps mapped to it';
COMMENT ON COLUMN v_vertex.n_trajectories IS 'Trajectories that visit it';
COMMENT ON COLUMN v_vertex.has_free_target IS 'Whether the element depends on the task in half of its instances or more';
COMMENT ON COLUMN v_vertex.n_lists IS 'Different lists its element was picked from';

COMMENT ON VIEW v_edge IS 'One row an edge of a model.';
COMMENT ON COLUMN v_edge.model_id IS 'Model it belongs to';
COMMENT ON COLUMN v_edge.source IS 'Name of the vertex it leaves';
COMMENT ON COLUMN v_edge.target IS 'Name of the vertex that followed';
COMMENT ON COLUMN v_edge.source_label IS 'Label of the source';
COMMENT ON COLUMN v_edge.target_label IS 'Label of the target';
COMMENT ON COLUMN v_edge.count IS 'Times the one followed the other';
COMMENT ON COLUMN v_edge.ms IS 'Mean milliseconds between the two';

COMMENT ON VIEW v_dynamic_xpath IS 'One row a list that a vertex''s element was picked from.';
COMMENT ON COLUMN v_dynamic_xpath.model_id IS 'Model it belongs to';
COMMENT ON COLUMN v_dynamic_xpath.vertex IS 'Name of the vertex';
COMMENT ON COLUMN v_dynamic_xpath.label IS 'Label of the vertex';
COMMENT ON COLUMN v_dynamic_xpath.prefix IS 'Xpath of the list''s container';
COMMENT ON COLUMN v_dynamic_xpath.tag IS 'Tag of its members';
COMMENT ON COLUMN v_dynamic_xpath.suffix IS 'Path from a member to the element; empty when it is the element';
COMMENT ON COLUMN v_dynamic_xpath.n_instances IS 'Timeline steps that picked from it';

COMMENT ON VIEW v_description IS 'One row a description of a trajectory or vertex by one source.';
COMMENT ON COLUMN v_description.model_id IS 'Model it belongs to';
COMMENT ON COLUMN v_description.subject IS '`trajectory:ID` or `vertex:NAME`';
COMMENT ON COLUMN v_description.text IS 'The description';
COMMENT ON COLUMN v_description.source IS '`rule`, `llm` or `human`';

COMMENT ON VIEW v_run IS 'One row a run of a notebook or study.';
COMMENT ON COLUMN v_run.run_id IS 'Unique id of the run';
COMMENT ON COLUMN v_run.notebook IS 'What was run';
COMMENT ON COLUMN v_run.started_at IS 'When it began, ISO 8601 in UTC';
COMMENT ON COLUMN v_run.seconds IS 'How long it took; NULL while it runs';
COMMENT ON COLUMN v_run.status IS 'Where it stands, such as `running`, `done` or `failed`';
COMMENT ON COLUMN v_run.agent IS 'Agent that executed the tasks';
COMMENT ON COLUMN v_run.policy IS 'Which deciders might answer';
COMMENT ON COLUMN v_run.model_id IS 'Behaviour model used; empty when none';
COMMENT ON COLUMN v_run.n_tasks IS 'Episodes';
COMMENT ON COLUMN v_run.n_success IS 'Episodes judged a success';
COMMENT ON COLUMN v_run.n_abstained IS 'Episodes in which the agent did not decide and said why';
COMMENT ON COLUMN v_run.n_failure IS 'Episodes in which the agent did something else than the task';
COMMENT ON COLUMN v_run.n_error IS 'Episodes in which site or harness failed';
COMMENT ON COLUMN v_run.tokens_prompt IS 'Prompt tokens of its episodes';
COMMENT ON COLUMN v_run.tokens_completion IS 'Completion tokens of its episodes';

COMMENT ON VIEW v_episode IS 'One row an execution of a task instance.';
COMMENT ON COLUMN v_episode.run_id IS 'Run it belongs to';
COMMENT ON COLUMN v_episode.episode_id IS 'Id, unique in the run';
COMMENT ON COLUMN v_episode.template_id IS 'Task template';
COMMENT ON COLUMN v_episode.instance_id IS 'Task instance';
COMMENT ON COLUMN v_episode.role IS 'Account that performed it';
COMMENT ON COLUMN v_episode.agent IS 'Agent that executed it';
COMMENT ON COLUMN v_episode.policy IS 'Which deciders might answer';
COMMENT ON COLUMN v_episode.model_id IS 'Behaviour model used; empty when none';
COMMENT ON COLUMN v_episode.task IS 'The task in words';
COMMENT ON COLUMN v_episode.trajectory_id IS 'Demonstration followed; empty when none';
COMMENT ON COLUMN v_episode.outcome IS '`success`, `failure`, `abstained` or `error`';
COMMENT ON COLUMN v_episode.reason IS 'Why it ended so';
COMMENT ON COLUMN v_episode.is_success IS 'Whether network and database agree with the answer key';
COMMENT ON COLUMN v_episode.network_ok IS 'Whether every expected write was seen and no other';
COMMENT ON COLUMN v_episode.database_ok IS 'Whether every database check holds; NULL when there are none';
COMMENT ON COLUMN v_episode.verdict IS 'The evaluator''s reasons, a line each';
COMMENT ON COLUMN v_episode.n_steps IS 'Interactions performed';
COMMENT ON COLUMN v_episode.n_replans IS 'Times the agent had to find its way again';
COMMENT ON COLUMN v_episode.n_decisions IS 'Decisions taken';
COMMENT ON COLUMN v_episode.n_llm_calls IS 'Requests to a language model';
COMMENT ON COLUMN v_episode.tokens_prompt IS 'Prompt tokens spent';
COMMENT ON COLUMN v_episode.tokens_completion IS 'Completion tokens spent';
COMMENT ON COLUMN v_episode.tokens IS 'Prompt and completion tokens spent';
COMMENT ON COLUMN v_episode.seconds IS 'Wall time';
COMMENT ON COLUMN v_episode.started_at IS 'When it began, ISO 8601 in UTC';

COMMENT ON VIEW v_step IS 'One row an interaction an agent performed.';
COMMENT ON COLUMN v_step.run_id IS 'Run it belongs to';
COMMENT ON COLUMN v_step.episode_id IS 'Episode it belongs to';
COMMENT ON COLUMN v_step.number IS 'Position in the episode, from 0';
COMMENT ON COLUMN v_step.label IS 'What was done, in words';
COMMENT ON COLUMN v_step.vertex IS 'Name of the vertex';
COMMENT ON COLUMN v_step.rung IS 'How the element was recognised; empty when it was not';
COMMENT ON COLUMN v_step.confidence IS 'Confidence of the recognition, from 0 to 1';
COMMENT ON COLUMN v_step.value IS 'What was entered or chosen, secrets as placeholders';
COMMENT ON COLUMN v_step.seconds IS 'From looking for the element to the end of its effects';
COMMENT ON COLUMN v_step.result IS '`done`, `kept` (already so), or what went wrong';

COMMENT ON VIEW v_decision IS 'One row an answered decision point, in the order taken.';
COMMENT ON COLUMN v_decision.run_id IS 'Run it belongs to';
COMMENT ON COLUMN v_decision.episode_id IS 'Episode it belongs to';
COMMENT ON COLUMN v_decision.decision_id IS 'Unique id; model calls refer to it';
COMMENT ON COLUMN v_decision.point IS 'What was decided';
COMMENT ON COLUMN v_decision.subject IS 'About what: a parameter, a field, a step';
COMMENT ON COLUMN v_decision.answer IS 'The answer in words';
COMMENT ON COLUMN v_decision.means IS 'Who decided: `rule`, `local` or `llm`';
COMMENT ON COLUMN v_decision.confidence IS 'Confidence from 0 to 1';
COMMENT ON COLUMN v_decision.tokens IS 'Tokens spent on it';
COMMENT ON COLUMN v_decision.reason IS 'Why this answer';

COMMENT ON VIEW v_llm_call IS 'One row a request to a language model, in the order they ended.';
COMMENT ON COLUMN v_llm_call.run_id IS 'Run it belongs to';
COMMENT ON COLUMN v_llm_call.episode_id IS 'Episode it belongs to';
COMMENT ON COLUMN v_llm_call.call_id IS 'Unique id';
COMMENT ON COLUMN v_llm_call."at" IS 'When it was sent, ISO 8601 in UTC';
COMMENT ON COLUMN v_llm_call.purpose IS 'What it was for';
COMMENT ON COLUMN v_llm_call.model IS 'Model name as sent';
COMMENT ON COLUMN v_llm_call.prompt_hash IS 'SHA-256 of the messages';
COMMENT ON COLUMN v_llm_call.tokens_prompt IS 'Prompt tokens, the cached ones among them';
COMMENT ON COLUMN v_llm_call.tokens_cached IS 'Prompt tokens read from the provider''s cache';
COMMENT ON COLUMN v_llm_call.tokens_completion IS 'Completion tokens, reasoning among them';
COMMENT ON COLUMN v_llm_call.tokens_reasoning IS 'Completion tokens spent on reasoning';
COMMENT ON COLUMN v_llm_call.is_counted IS 'Whether the tokens were counted here for want of a usage report';
COMMENT ON COLUMN v_llm_call.seconds IS 'From sending to answer or failure';
COMMENT ON COLUMN v_llm_call.usd IS 'Price; NULL when unknown';
COMMENT ON COLUMN v_llm_call.outcome IS '`ok`, `retried` or `error`';
