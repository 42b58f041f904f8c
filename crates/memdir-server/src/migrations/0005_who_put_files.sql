-- Who put a file there, by key, so that one member alone cannot fill a team. Of files from before: who signed them.
ALTER TABLE files ADD COLUMN put_by TEXT;
UPDATE files SET put_by = (SELECT contents.author FROM contents
    WHERE contents.team = files.team AND contents.id = files.content);
CREATE INDEX files_by_member ON files (team, put_by, size);
