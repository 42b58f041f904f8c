-- Who made a token: the token that asked for it, or `operator`. Whoever is put out takes along what they made.
ALTER TABLE tokens ADD COLUMN made_by TEXT;
UPDATE tokens SET made_by = (SELECT min(audit.actor) FROM audit
    WHERE audit.subject = tokens.id AND audit.event IN ('team made', 'invited', 'token made', 'joined'));

-- How many bytes the contents have together that no file has any more, so that they can be bounded.
ALTER TABLE teams ADD COLUMN old_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE teams SET old_bytes = (SELECT CAST(coalesce(sum(length(contents.content)), 0) AS BIGINT) FROM contents
    WHERE contents.team = teams.name AND contents.replaced IS NOT NULL);
CREATE INDEX contents_by_age ON contents (team, replaced) WHERE replaced IS NOT NULL;
CREATE INDEX contents_by_author ON contents (team, author);
