-- A recording is replaced in one transaction, which DuckDB's foreign key from event to trajectory
-- forbids (deleted events count as references until they are committed), so events are rebuilt
-- without it; `EventStore.check` looks after it instead. Recordings of format 2 add gestures,
-- drops, files, dialogs, downloads, tabs, initiators and a health report.

CREATE TABLE event_rebuilt (
    trajectory_id VARCHAR NOT NULL,
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
    gesture VARCHAR,
    tab BIGINT NOT NULL DEFAULT 0,
    "drop" VARCHAR,
    drop_at VARCHAR,
    files VARCHAR,
    dialogs VARCHAR,
    download VARCHAR,
    initiator VARCHAR,
    PRIMARY KEY (trajectory_id, idx)
);
INSERT INTO event_rebuilt BY NAME
SELECT *, CASE WHEN kind = 'click' THEN 'click' END AS gesture FROM event;
DROP TABLE event;
ALTER TABLE event_rebuilt RENAME TO event;
COMMENT ON COLUMN event.record IS 'The whole event as its line in the recording';

ALTER TABLE trajectory ADD COLUMN is_sound BOOLEAN;
ALTER TABLE trajectory ADD COLUMN health VARCHAR;

CREATE OR REPLACE VIEW v_trajectory AS
SELECT
    trajectory_id, task, app, start_url, started_at, n_events, n_interactions, n_writes,
    coalesce(e.n_snapshots, 0) AS n_snapshots,
    len(gaps) AS n_gaps,
    is_sound, health
FROM trajectory
LEFT JOIN (
    SELECT trajectory_id, count(DISTINCT snapshot) AS n_snapshots FROM event GROUP BY ALL
) AS e USING (trajectory_id)
ORDER BY trajectory_id;

CREATE OR REPLACE VIEW v_event AS
SELECT
    trajectory_id, idx, kind, gesture, t_ms, tab, url, role, name, xpath, value, checked,
    "drop", drop_at, files, dialogs, download, method, request_url, operation, initiator, status,
    snapshot
FROM event
ORDER BY trajectory_id, idx;

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
COMMENT ON COLUMN v_trajectory.is_sound IS 'Whether nothing was missed and every self-test passed; NULL when not examined';
COMMENT ON COLUMN v_trajectory.health IS 'The recorder''s report as a JSON object; NULL when it made none';

COMMENT ON VIEW v_event IS 'One row a recorded event.';
COMMENT ON COLUMN v_event.trajectory_id IS 'Recording it belongs to';
COMMENT ON COLUMN v_event.idx IS 'Position in the recording, from 0';
COMMENT ON COLUMN v_event.kind IS 'One of the ten event kinds';
COMMENT ON COLUMN v_event.gesture IS 'How it was clicked, such as `double` or `drag`; NULL for other kinds';
COMMENT ON COLUMN v_event.t_ms IS 'Milliseconds since the recording began';
COMMENT ON COLUMN v_event.tab IS 'Page (tab or popup) it happened in, in opening order from 0';
COMMENT ON COLUMN v_event.url IS 'Address of the page when it happened';
COMMENT ON COLUMN v_event.role IS 'ARIA role of the element acted on';
COMMENT ON COLUMN v_event.name IS 'Accessible name of the element acted on';
COMMENT ON COLUMN v_event.xpath IS 'Absolute xpath of the element acted on';
COMMENT ON COLUMN v_event.value IS 'Text after the entry, label of the chosen option, or keys pressed';
COMMENT ON COLUMN v_event.checked IS 'State of the checkbox after the event';
COMMENT ON COLUMN v_event."drop" IS 'Element where a drag ended, a JSON object';
COMMENT ON COLUMN v_event.drop_at IS 'Where inside it, shares of width and height as a JSON array';
COMMENT ON COLUMN v_event.files IS 'Names and sizes of the files chosen, a JSON array';
COMMENT ON COLUMN v_event.dialogs IS 'Dialogs it raised with the answers, a JSON array';
COMMENT ON COLUMN v_event.download IS 'File name of the download it began';
COMMENT ON COLUMN v_event.method IS 'HTTP method of the request';
COMMENT ON COLUMN v_event.request_url IS 'Address of the request';
COMMENT ON COLUMN v_event.operation IS 'GraphQL operation; empty for REST';
COMMENT ON COLUMN v_event.initiator IS 'What in the page sent the request; empty when not known';
COMMENT ON COLUMN v_event.status IS 'HTTP status of the answer; NULL when none came';
COMMENT ON COLUMN v_event.snapshot IS 'Hash of the page snapshot taken before it took effect';
