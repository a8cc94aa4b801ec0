-- Servers that were added over the API. `definition` is the JSON of one `servers[]` entry.
CREATE TABLE servers (
    position   INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    definition TEXT    NOT NULL CHECK (json_valid(definition)),
    created_at INTEGER NOT NULL
) STRICT;
