-- Templates that users saved. `body` is the JSON of one template as `export` gives it.
CREATE TABLE templates (
    position   INTEGER PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    body       TEXT    NOT NULL CHECK (json_valid(body)),
    created_at INTEGER NOT NULL
) STRICT;
