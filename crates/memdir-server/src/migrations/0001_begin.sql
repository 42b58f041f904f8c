-- `BYTES` and `ORDERED` stand for the engine's own types: bytes, and text in the order of its bytes.

-- A team: what its members share. `head` is the newest version, `wire_team` the id that its entries are signed for.
CREATE TABLE teams (
    name TEXT PRIMARY KEY,
    wire_team TEXT,
    head TEXT,
    sequence BIGINT NOT NULL,
    files BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    created BIGINT NOT NULL
);

-- What opens the server. An invitation is a token that can only be exchanged, once, for one of its member's own making.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    team TEXT NOT NULL,
    scope TEXT NOT NULL,
    hash BYTES NOT NULL,
    label TEXT NOT NULL,
    member TEXT,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    revoked BIGINT,
    used_for TEXT
);
CREATE INDEX tokens_of_team ON tokens (team, created);

-- Every version that ever was the newest, in the order in which they followed each other.
CREATE TABLE versions (
    team TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    version TEXT NOT NULL,
    author TEXT NOT NULL,
    subject TEXT NOT NULL,
    time BIGINT NOT NULL,
    PRIMARY KEY (team, sequence)
);
CREATE UNIQUE INDEX versions_by_id ON versions (team, version);

-- What is there now. A file that is gone keeps its line, without content, so that whoever asks what changed hears of it.
CREATE TABLE files (
    team TEXT NOT NULL,
    path ORDERED NOT NULL,
    folded TEXT,
    content TEXT,
    size BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    entry_version BIGINT NOT NULL,
    entry_round BIGINT NOT NULL,
    is_deletion BIGINT NOT NULL,
    PRIMARY KEY (team, path)
);
CREATE UNIQUE INDEX files_in_order ON files (team, sequence, path);
CREATE UNIQUE INDEX files_by_folded_name ON files (team, folded);

-- Contents by their hash: those of files, and those that files had before, for whoever merges from them.
CREATE TABLE contents (
    team TEXT NOT NULL,
    id TEXT NOT NULL,
    author TEXT NOT NULL,
    content BYTES NOT NULL,
    replaced BIGINT,
    PRIMARY KEY (team, id)
);

-- Parts of versions that are not published yet.
CREATE TABLE parts (
    team TEXT NOT NULL,
    version TEXT NOT NULL,
    part BIGINT NOT NULL,
    body BYTES NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (team, version, part)
);

-- Who did what to whose access, and when. Contents are never in it.
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    time BIGINT NOT NULL,
    team TEXT NOT NULL,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    subject TEXT NOT NULL
);
CREATE INDEX audit_in_order ON audit (team, time);
