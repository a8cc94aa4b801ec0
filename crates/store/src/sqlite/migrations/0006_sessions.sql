-- Sessions: what lists, limits and timers look at. `number` is the short name inside this file; `events` is how
-- many events there are, and `last` the number of the last one. `workflow`, `caller`, `started_at`, `parent` and
-- `key` never change.
CREATE TABLE sessions (
    number       INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    workflow     TEXT    NOT NULL,
    caller       TEXT    NOT NULL,
    key          TEXT,
    parent       TEXT,
    started_at   INTEGER NOT NULL,
    status       TEXT    NOT NULL,
    open         INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    completed_at INTEGER,
    waiting      TEXT,
    due          INTEGER,
    definition   TEXT    NOT NULL,
    events       INTEGER NOT NULL,
    last         INTEGER
) STRICT;
CREATE UNIQUE INDEX sessions_by_key ON sessions (workflow, caller, key) WHERE key IS NOT NULL;
CREATE INDEX sessions_by_start ON sessions (started_at DESC, id);
CREATE INDEX sessions_by_workflow ON sessions (workflow, started_at DESC, id);
CREATE INDEX sessions_by_caller ON sessions (caller, started_at DESC, id);
CREATE INDEX sessions_by_status ON sessions (status, started_at DESC, id);
CREATE INDEX sessions_by_parent ON sessions (parent, started_at DESC, id) WHERE parent IS NOT NULL;
CREATE INDEX sessions_by_definition ON sessions (definition, open);
CREATE INDEX sessions_open ON sessions (workflow, caller, started_at DESC, id) WHERE open;
CREATE INDEX sessions_finished ON sessions (completed_at, id) WHERE NOT open;
CREATE INDEX sessions_waiting ON sessions (waiting, started_at, id) WHERE waiting IS NOT NULL;
CREATE INDEX sessions_due ON sessions (due, id) WHERE due IS NOT NULL;

-- The journal of all sessions in the order of writing, so that appends to many sessions fill few pages. Events are
-- JSON as the engine wrote it; in each session `seq` counts from 0 without a gap, and `before` is the number of the
-- event before.
CREATE TABLE session_events (
    number  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    before  INTEGER,
    event   TEXT    NOT NULL
) STRICT;

-- How many sessions there are, kept by the triggers below; a line may say 0.
CREATE TABLE session_counts (
    workflow TEXT    NOT NULL,
    status   TEXT    NOT NULL,
    open     INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (workflow, status, open)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER sessions_added AFTER INSERT ON sessions BEGIN
    INSERT INTO session_counts VALUES (new.workflow, new.status, new.open, 1)
        ON CONFLICT DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER sessions_removed AFTER DELETE ON sessions BEGIN
    UPDATE session_counts SET sessions = sessions - 1
        WHERE workflow = old.workflow AND status = old.status AND open = old.open;
END;
CREATE TRIGGER sessions_moved AFTER UPDATE OF status, open ON sessions
    WHEN old.status <> new.status OR old.open <> new.open BEGIN
    UPDATE session_counts SET sessions = sessions - 1
        WHERE workflow = old.workflow AND status = old.status AND open = old.open;
    INSERT INTO session_counts VALUES (new.workflow, new.status, new.open, 1)
        ON CONFLICT DO UPDATE SET sessions = sessions + 1;
END;

-- The definitions that sessions are pinned to, by the hash of `body`. One that was put since the last sweep is
-- `fresh`: the session that needs it may be on its way.
CREATE TABLE definitions (
    hash  TEXT    PRIMARY KEY,
    body  TEXT    NOT NULL,
    fresh INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Activities that were added over the API. `body` is the JSON of one activity as the API shows it.
CREATE TABLE activities (
    position   INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    body       TEXT    NOT NULL CHECK (json_valid(body)),
    revision   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Start times of workflows. `body` is the JSON of one schedule as the API shows it; `next` is when it fires next.
CREATE TABLE schedules (
    position   INTEGER PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    workflow   TEXT    NOT NULL,
    body       TEXT    NOT NULL CHECK (json_valid(body)),
    next       INTEGER,
    paused     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_due ON schedules (next, id) WHERE next IS NOT NULL AND NOT paused;

-- Earlier and present versions of workflows, by the id of the workflow.
CREATE TABLE versions (
    workflow TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    body     TEXT    NOT NULL CHECK (json_valid(body)),
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (workflow, revision)
) STRICT, WITHOUT ROWID;
