-- Workflows. `definition` is the JSON of one workflow as the API shows it; `id` and `type` stand in it too.
-- Whether it is active is said by `enabled` alone, so that one can be turned off without writing it anew.
CREATE TABLE workflows (
    position   INTEGER PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    type       TEXT    NOT NULL,
    enabled    INTEGER NOT NULL,
    definition TEXT    NOT NULL CHECK (json_valid(definition))
) STRICT;
CREATE UNIQUE INDEX workflows_active ON workflows (type) WHERE enabled AND type <> 'session';
