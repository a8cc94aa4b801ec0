-- What happened, in a chain: `hash` covers the row and the hash of the row before, which is `previous`.
CREATE TABLE audit (
    number   INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    who      TEXT NOT NULL,
    subject  TEXT NOT NULL,
    body     TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash     TEXT NOT NULL
) STRICT;

-- The last row ever written, so that the chain goes on where it was when old rows are gone.
CREATE TABLE audit_end (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    number INTEGER NOT NULL,
    hash   TEXT NOT NULL
) STRICT;
