-- The tables of every area. Texts are kept with NUL escaped, and those that are sorted or compared use the collation
-- "C", so that their order is that of their bytes. Times are milliseconds since 1970.

-- Servers that were added over the API. `definition` is the JSON of one `servers[]` entry.
CREATE TABLE lockgate.servers (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL UNIQUE,
    definition text   NOT NULL,
    created_at bigint NOT NULL
);

-- Hooks. `definition` is the JSON of one hook as the API shows it; `id` and `name` stand in it too.
CREATE TABLE lockgate.hooks (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text   COLLATE "C" NOT NULL UNIQUE,
    name       text   COLLATE "C" NOT NULL UNIQUE,
    definition text   NOT NULL
);

-- Workflows. `definition` is the JSON of one workflow as the API shows it. Whether it is active is said by `enabled`
-- alone, so that one can be turned off without writing it anew.
CREATE TABLE lockgate.workflows (
    position   bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text    COLLATE "C" NOT NULL UNIQUE,
    type       text    COLLATE "C" NOT NULL,
    enabled    boolean NOT NULL,
    definition text    NOT NULL
);
CREATE UNIQUE INDEX workflows_active ON lockgate.workflows (type) WHERE enabled AND type <> 'session';

-- Runs of graphs. `id` is the number of the run's id, which grows with the time at which it began.
CREATE TABLE lockgate.runs (
    id       bigint PRIMARY KEY,
    workflow text   COLLATE "C" NOT NULL,
    record   text   NOT NULL
);
CREATE INDEX runs_by_workflow ON lockgate.runs (workflow, id);

-- What a workflow remembers from one run to the next. `value` is JSON.
CREATE TABLE lockgate.variables (
    workflow text COLLATE "C" NOT NULL REFERENCES lockgate.workflows (id) ON DELETE CASCADE,
    name     text COLLATE "C" NOT NULL,
    value    text NOT NULL,
    PRIMARY KEY (workflow, name)
);

-- Sessions: what lists, limits and timers look at. `number` is the short name inside this database, and `events` is
-- how many events there are. `holder` works on the session, and until `held_until`, by the clock of the database,
-- nobody else takes it up. Room is left in each page, so that a step that changes no index stays in its page.
CREATE TABLE lockgate.sessions (
    number       bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text    COLLATE "C" NOT NULL UNIQUE,
    workflow     text    COLLATE "C" NOT NULL,
    caller       text    COLLATE "C" NOT NULL,
    key          text    COLLATE "C",
    parent       text    COLLATE "C",
    started_at   bigint  NOT NULL,
    status       text    COLLATE "C" NOT NULL,
    open         boolean NOT NULL,
    updated_at   bigint  NOT NULL,
    completed_at bigint,
    waiting      text    COLLATE "C",
    due          bigint,
    definition   text    COLLATE "C" NOT NULL,
    events       bigint  NOT NULL,
    holder       text    COLLATE "C",
    held_until   bigint
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX sessions_by_key ON lockgate.sessions (workflow, caller, key) WHERE key IS NOT NULL;
CREATE INDEX sessions_by_start ON lockgate.sessions (started_at DESC, id);
CREATE INDEX sessions_by_workflow ON lockgate.sessions (workflow, started_at DESC, id);
CREATE INDEX sessions_by_caller ON lockgate.sessions (caller, started_at DESC, id);
CREATE INDEX sessions_by_status ON lockgate.sessions (status, started_at DESC, id);
CREATE INDEX sessions_by_parent ON lockgate.sessions (parent, started_at DESC, id) WHERE parent IS NOT NULL;
CREATE INDEX sessions_by_definition ON lockgate.sessions (definition, open);
CREATE INDEX sessions_open ON lockgate.sessions (workflow, caller, started_at DESC, id) WHERE open;
CREATE INDEX sessions_finished ON lockgate.sessions (completed_at NULLS FIRST, id) WHERE NOT open;
CREATE INDEX sessions_waiting ON lockgate.sessions (waiting, started_at, id) WHERE waiting IS NOT NULL;
CREATE INDEX sessions_due ON lockgate.sessions (due, id) WHERE due IS NOT NULL;

-- The journals. In each session `seq` counts from 0 without a gap.
CREATE TABLE lockgate.session_events (
    session bigint NOT NULL,
    seq     bigint NOT NULL,
    event   text   NOT NULL,
    PRIMARY KEY (session, seq)
);

-- The definitions that sessions are pinned to, by the hash of `body`. One that was put since the last sweep is
-- `fresh`: the session that needs it may be on its way.
CREATE TABLE lockgate.definitions (
    hash  text    COLLATE "C" PRIMARY KEY,
    body  text    NOT NULL,
    fresh boolean NOT NULL
);

-- Who swept definitions last, and when.
CREATE TABLE lockgate.sweeps (
    one      boolean     PRIMARY KEY CHECK (one),
    instance text        NOT NULL,
    at       timestamptz NOT NULL
);

-- Activities that were added over the API.
CREATE TABLE lockgate.activities (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL UNIQUE,
    body       text   NOT NULL,
    revision   bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

-- Start times of workflows; `next` is when the schedule fires next.
CREATE TABLE lockgate.schedules (
    position   bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text    COLLATE "C" NOT NULL UNIQUE,
    workflow   text    NOT NULL,
    body       text    NOT NULL,
    next       bigint,
    paused     boolean NOT NULL,
    created_at bigint  NOT NULL,
    updated_at bigint  NOT NULL
);
CREATE INDEX schedules_due ON lockgate.schedules (next, id) WHERE next IS NOT NULL AND NOT paused;

-- Earlier and present versions of workflows, by the id of the workflow.
CREATE TABLE lockgate.versions (
    workflow text   COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    body     text   NOT NULL,
    made_at  bigint NOT NULL,
    PRIMARY KEY (workflow, revision)
);

-- Templates that users saved.
CREATE TABLE lockgate.templates (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text   COLLATE "C" NOT NULL UNIQUE,
    body       text   NOT NULL,
    created_at bigint NOT NULL
);

-- Secrets that all instances share.
CREATE TABLE lockgate.secrets (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

-- How often each area of definitions was changed, kept by triggers.
CREATE TABLE lockgate.marks (
    area  text   COLLATE "C" PRIMARY KEY,
    count bigint NOT NULL
);
INSERT INTO lockgate.marks VALUES
    ('servers', 0), ('hooks', 0), ('workflows', 0), ('activities', 0), ('schedules', 0), ('templates', 0);
