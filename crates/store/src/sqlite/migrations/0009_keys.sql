-- Keys that the gateway made; `digest` is all that is kept of the key itself.
CREATE TABLE keys (
    position   INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE,
    digest     TEXT NOT NULL UNIQUE,
    permits    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
