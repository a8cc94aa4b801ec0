-- Hooks. `definition` is the JSON of one hook as the API shows it; `id` and `name` stand in it too.
CREATE TABLE hooks (
    position   INTEGER PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL UNIQUE,
    definition TEXT    NOT NULL CHECK (json_valid(definition))
) STRICT;
