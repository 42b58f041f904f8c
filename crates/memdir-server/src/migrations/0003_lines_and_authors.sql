-- Who published a version, by key: names are not theirs alone.
ALTER TABLE versions ADD COLUMN member TEXT;

-- Lines of files that are gone count like the others until they are forgotten.
UPDATE teams SET files = (SELECT count(*) FROM files WHERE files.team = teams.name);
CREATE INDEX files_gone ON files (team, sequence) WHERE content IS NULL;
