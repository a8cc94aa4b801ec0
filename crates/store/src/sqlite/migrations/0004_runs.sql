-- Runs of graphs. `id` is the number of the run's id, which grows with the time at which it began.
-- `record` is the JSON of one run as the API shows it.
CREATE TABLE runs (
    id       INTEGER PRIMARY KEY,
    workflow TEXT NOT NULL,
    record   TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_workflow ON runs (workflow, id);
