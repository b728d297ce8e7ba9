-- What odokit 0.1.0 wrote into a store: every table. 001_initial.sql makes the tables.

INSERT INTO decision VALUES
    ('r1', 'e1', 0, 'd9', 'value', 'name', 'x', 'rule', 1.0, 0, '');

INSERT INTO description VALUES
    ('ac4125b2aa88', 'trajectory:old', 'saves a thing', 'rule');

INSERT INTO edge VALUES
    ('ac4125b2aa88', 0, 0, 1, 1, 900.5),
    ('ac4125b2aa88', 1, 1, 2, 1, 99.5),
    ('ac4125b2aa88', 2, 2, 3, 1, 100.0);

INSERT INTO episode VALUES
    ('r1', 'e1', 'create_thing', 'e1', 'admin', 'odobot', 'cascade', 'm1', 'Create a thing', 't1', 'success', 'done', TRUE, TRUE, NULL, 'matched: POST /api/things/', 1, 100, 20, 2.5, '2026-01-01T00:00:02+00:00', ['DELETE /api/things/1']);

INSERT INTO llm_call VALUES
    ('r1', 'e1', 0, 'c0', '2026-01-01T00:00:00+00:00', 'decide_plan', ['d9', 'd8'], 'small', '00', 100, 0, 20, 0, FALSE, 0.7, NULL, 'ok');

INSERT INTO migration VALUES
    (1, '001_initial', '2026-01-01T00:00:00+00:00');

INSERT INTO model VALUES
    ('ac4125b2aa88', 'fingerprint', 1, ['old'], '{}', '2026-11-30T16:17:12.846917+00:00');

INSERT INTO run VALUES
    ('r1', '06_execute', '2026-01-01T00:00:00+00:00', 12.5, 'done', 'odobot', '', '');

INSERT INTO snapshot VALUES
    ('4bbe464d7d075cf85fbd71a480422cd7', '/things/*', 211, 109, NULL, '\x28\xB5\x2F\xFD\x20\xD3\x25\x03\x00\x12\x45\x12\x18\x80\x19\xEA\x20\xFB\xCD\x9B\x0A\x0A\x11\x5B\xC3\x27\x7A\xDA\x9D\x20\x98\x10\x46\x91\x98\x1A\x01\x5F\xF5\x34\xD3\x6F\xE9\x88\x40\x8B\x19\x86\x03\xBC\xC2\x5B\x16\x33\x08\x10\x8C\x80\xA4\x4D\x97\xB1\x48\x1C\x05\xD7\x48\xEB\x2F\xF4\x89\xA6\x9D\x62\x25\x3D\x9C\xA8\x1F\x11\x3B\xFE\xAA\xA7\x0E\x09\x00\x87\x36\xE1\x62\x82\x80\xEC\x02\x05\x03\x05\x81\xC2\x76\xD6\xAD\x4E\xFF\x65\xC3\x7C\x02'::BLOB),
    ('637bbc7c8ea4e0f6925d93af8f01686a', '/things/*', 212, 23, '4bbe464d7d075cf85fbd71a480422cd7', '\x28\xB5\x2F\xFD\x20\xD4\x75\x00\x00\x20\x54\x75\x65\x73\x02\x00\x57\xFB\x08\x67\xA5\x0C\x10'::BLOB);

INSERT INTO step VALUES
    ('r1', 'e1', 0, 'click Save', 'abc', 'name', 0.95, '', 0.3, 'done');

INSERT INTO trajectory VALUES
    ('old', 'df908ebe0fd01a557bd1f1595b26532b', 'Save a thing', 'demo', 'http://127.0.0.1:8080', '2026-01-01T00:00:00+00:00', 4, 2, 1, '{"odokit_recording":1,"trajectory_id":"old","task":"Save a thing","values":{"name":"it''s ü"},"app":"demo","start_url":"http://127.0.0.1:8080","started_at":"2026-01-01T00:00:00+00:00","recorder":"odokit 0.1.0"}', ['a closed shadow root']);

INSERT INTO vertex VALUES
    ('ac4125b2aa88', 0, 'c29a2be5b859', 'click', 'click button “Save”', '{"page":"/things/*","role":"button","name":"Save","regions":""}'),
    ('ac4125b2aa88', 1, '469e230b93cc', 'data_entry', 'enter textbox “Name”', '{"page":"/things/*","role":"textbox","name":"Name","regions":""}'),
    ('ac4125b2aa88', 2, '076283fa527a', 'rest_call', 'POST /api/things', '{"method":"POST","path":"/api/things"}'),
    ('ac4125b2aa88', 3, 'c86fcd8b007c', 'location', 'at /', '{"path":"/"}');

INSERT INTO vertex_event VALUES
    ('ac4125b2aa88', 0, 'old', 0, NULL, NULL, NULL, NULL, NULL),
    ('ac4125b2aa88', 1, 'old', 1, NULL, NULL, NULL, NULL, NULL),
    ('ac4125b2aa88', 2, 'old', 2, NULL, NULL, NULL, NULL, NULL),
    ('ac4125b2aa88', 3, 'old', 3, NULL, NULL, NULL, NULL, NULL);

INSERT INTO event VALUES
    ('old', 0, 'click', 0.0, 'http://127.0.0.1:8080/things/7', 'button', 'Save', '/html/body/main/button', NULL, NULL, NULL, NULL, NULL, NULL, '4bbe464d7d075cf85fbd71a480422cd7', '{"kind":"click","idx":0,"t_ms":0.0,"url":"http://127.0.0.1:8080/things/7","element":{"tag":"button","xpath":"/html/body/main/button","role":"button","name":"Save"},"snapshot":"4bbe464d7d075cf85fbd71a480422cd7"}'),
    ('old', 1, 'data_entry', 900.5, 'http://127.0.0.1:8080/things/7', 'textbox', 'Name', '/html/body/main/input', 'it''s ü', NULL, NULL, NULL, NULL, NULL, '637bbc7c8ea4e0f6925d93af8f01686a', '{"kind":"data_entry","idx":1,"t_ms":900.5,"url":"http://127.0.0.1:8080/things/7","element":{"tag":"input","xpath":"/html/body/main/input","role":"textbox","name":"Name"},"snapshot":"637bbc7c8ea4e0f6925d93af8f01686a","value":"it''s ü"}'),
    ('old', 2, 'rest_call', 1000.0, 'http://127.0.0.1:8080/things/7', NULL, NULL, NULL, NULL, NULL, 'POST', 'http://127.0.0.1:8080/api/things/', '', 201, NULL, '{"kind":"rest_call","idx":2,"t_ms":1000.0,"url":"http://127.0.0.1:8080/things/7","request":{"method":"POST","url":"http://127.0.0.1:8080/api/things/","body":{"name":"it''s ü"}},"response":{"status":201}}'),
    ('old', 3, 'location', 1100.0, 'http://127.0.0.1:8080/', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"kind":"location","idx":3,"t_ms":1100.0,"url":"http://127.0.0.1:8080/","from_url":"http://127.0.0.1:8080/things/7","to_url":"http://127.0.0.1:8080/"}');

