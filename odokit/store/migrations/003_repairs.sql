-- An element found on a loose rung is described as it is now: a proposal of repair, beside the model.

ALTER TABLE step ADD COLUMN repair VARCHAR;
COMMENT ON COLUMN step.repair IS 'The element as it was found, a JSON object, when it was found on a loose rung';

CREATE VIEW v_repair AS
SELECT
    e.model_id, s.vertex, s.label, s.run_id, s.episode_id, s.number, s.rung, s.confidence,
    e.is_success, s.repair AS element
FROM step AS s
JOIN episode AS e USING (run_id, episode_id)
WHERE s.repair IS NOT NULL AND s.result IN ('done', 'kept')
ORDER BY e.model_id, s.vertex, s.run_id, s.episode_id, s.number;

COMMENT ON VIEW v_repair IS 'One row a step whose element had changed: a proposal to describe it so from now on.';
COMMENT ON COLUMN v_repair.model_id IS 'Model that knows the element as it was';
COMMENT ON COLUMN v_repair.vertex IS 'Name of the vertex';
COMMENT ON COLUMN v_repair.label IS 'What was done, in words';
COMMENT ON COLUMN v_repair.run_id IS 'Run in which it was found';
COMMENT ON COLUMN v_repair.episode_id IS 'Episode in which it was found';
COMMENT ON COLUMN v_repair.number IS 'Position of the step in the episode, from 0';
COMMENT ON COLUMN v_repair.rung IS 'How it was recognised';
COMMENT ON COLUMN v_repair.confidence IS 'Confidence of the recognition, from 0 to 1';
COMMENT ON COLUMN v_repair.is_success IS 'Whether the task succeeded with it';
COMMENT ON COLUMN v_repair.element IS 'The element as it was found, a JSON object as in recordings';
