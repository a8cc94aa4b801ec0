-- Who works on a session, and until when nobody else takes it up, in milliseconds since 1970. A session that was
-- at work before is free to be taken up.
ALTER TABLE sessions ADD COLUMN holder TEXT;
ALTER TABLE sessions ADD COLUMN held_until INTEGER;

-- Open sessions that run as steps, for whoever looks after those that were left behind.
CREATE INDEX sessions_nested ON sessions (id, parent) WHERE parent IS NOT NULL AND open;

-- How often each area of definitions was changed, kept by the triggers below.
CREATE TABLE marks (
    area  TEXT    PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO marks VALUES
    ('servers', 0), ('hooks', 0), ('workflows', 0), ('activities', 0), ('schedules', 0), ('templates', 0);
CREATE TRIGGER servers_mark_added AFTER INSERT ON servers BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'servers';
END;
CREATE TRIGGER servers_mark_changed AFTER UPDATE ON servers BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'servers';
END;
CREATE TRIGGER servers_mark_removed AFTER DELETE ON servers BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'servers';
END;
CREATE TRIGGER hooks_mark_added AFTER INSERT ON hooks BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'hooks';
END;
CREATE TRIGGER hooks_mark_changed AFTER UPDATE ON hooks BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'hooks';
END;
CREATE TRIGGER hooks_mark_removed AFTER DELETE ON hooks BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'hooks';
END;
CREATE TRIGGER workflows_mark_added AFTER INSERT ON workflows BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'workflows';
END;
CREATE TRIGGER workflows_mark_changed AFTER UPDATE ON workflows BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'workflows';
END;
CREATE TRIGGER workflows_mark_removed AFTER DELETE ON workflows BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'workflows';
END;
CREATE TRIGGER activities_mark_added AFTER INSERT ON activities BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'activities';
END;
CREATE TRIGGER activities_mark_changed AFTER UPDATE ON activities BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'activities';
END;
CREATE TRIGGER activities_mark_removed AFTER DELETE ON activities BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'activities';
END;
CREATE TRIGGER schedules_mark_added AFTER INSERT ON schedules BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'schedules';
END;
CREATE TRIGGER schedules_mark_changed AFTER UPDATE OF workflow, body, paused ON schedules BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'schedules';
END;
CREATE TRIGGER schedules_mark_removed AFTER DELETE ON schedules BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'schedules';
END;
CREATE TRIGGER templates_mark_added AFTER INSERT ON templates BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'templates';
END;
CREATE TRIGGER templates_mark_changed AFTER UPDATE ON templates BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'templates';
END;
CREATE TRIGGER templates_mark_removed AFTER DELETE ON templates BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'templates';
END;

-- Secrets that all instances share.
CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
