-- The highest number of a version of which it is forgotten that files went with it. Whoever saw less asks for everything; of what was
-- forgotten before nobody knows, so everybody does, once.
ALTER TABLE teams ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0;
UPDATE teams SET forgotten = sequence;
