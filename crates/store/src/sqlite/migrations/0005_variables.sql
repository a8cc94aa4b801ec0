-- Variables of the scope `workflow`: what a workflow remembers from one run to the next. `value` is JSON.
CREATE TABLE variables (
    workflow TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    value    TEXT NOT NULL CHECK (json_valid(value)),
    PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;
