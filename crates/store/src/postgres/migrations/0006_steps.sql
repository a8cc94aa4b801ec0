-- A step that changes no index stays in its page: one row is written instead of one and an entry in every index. So no
-- index looks at `waiting`, which goes to `step` and back with every step. `waits_for` is the same without that word,
-- and `busy` says that the session may be at work: it stays while step follows step, and goes when the session was
-- left alone for a while.
ALTER TABLE lockgate.sessions
    ADD COLUMN waits_for text COLLATE "C",
    ADD COLUMN busy boolean NOT NULL DEFAULT true;
UPDATE lockgate.sessions SET waits_for = waiting WHERE waiting <> 'step';
CREATE INDEX sessions_waits_for ON lockgate.sessions (waits_for, started_at, id) WHERE waits_for IS NOT NULL;
CREATE INDEX sessions_busy ON lockgate.sessions (started_at, id) WHERE busy;
DROP INDEX lockgate.sessions_waiting;
ALTER TABLE lockgate.sessions SET (fillfactor = 50);

-- Instances of the version before write `waiting` alone.
CREATE FUNCTION lockgate.follow_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lockgate.sessions SET waits_for = nullif(NEW.waiting, 'step'),
        busy = busy OR NEW.waiting IS NOT DISTINCT FROM 'step' WHERE number = NEW.number;
    RETURN NULL;
END $$;
CREATE TRIGGER sessions_waiting AFTER INSERT OR UPDATE ON lockgate.sessions FOR EACH ROW
    WHEN (NEW.waits_for IS DISTINCT FROM nullif(NEW.waiting, 'step') OR (NEW.waiting = 'step' AND NOT NEW.busy))
    EXECUTE FUNCTION lockgate.follow_waiting();
