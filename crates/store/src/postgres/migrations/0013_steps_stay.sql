-- A finished session stays as long as the session that runs it as a step is open: what it gave may be asked for again, and
-- without it whoever asks would run it a second time.

-- Removes the oldest finished sessions, and after them, where allowed, the oldest open ones, until one more may be
-- made; never the session `p_parent`, which is to run it, nor those that run that one. Removes none and says `false`
-- when that cannot be. Only for who holds the lock on creations.
CREATE OR REPLACE FUNCTION lockgate.make_room(p_most bigint, p_evict_open boolean, p_parent text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    going    bigint[];
    total    bigint;
    finished bigint;
    surplus  bigint;
BEGIN
    SELECT count(*), count(*) FILTER (WHERE NOT one.open AND above.open IS NOT TRUE) INTO total, finished
        FROM lockgate.sessions AS one LEFT JOIN lockgate.sessions AS above ON above.id = one.parent;
    surplus := total + 1 - p_most;
    IF surplus <= 0 THEN
        RETURN true;
    END IF;
    IF surplus > finished THEN
        IF NOT p_evict_open THEN
            RETURN false;
        END IF;
        WITH RECURSIVE above (id) AS (
            SELECT p_parent COLLATE "C" UNION SELECT parent FROM lockgate.sessions JOIN above USING (id))
        SELECT array_agg(number) INTO going FROM (
            SELECT number FROM lockgate.sessions
                WHERE open AND NOT EXISTS (SELECT FROM above WHERE above.id = sessions.id)
                ORDER BY started_at, id LIMIT surplus - finished) AS oldest;
        IF coalesce(cardinality(going), 0) < surplus - finished THEN
            RETURN false;
        END IF;
    END IF;
    DELETE FROM lockgate.sessions WHERE number IN (
        SELECT one.number FROM lockgate.sessions AS one LEFT JOIN lockgate.sessions AS above ON above.id = one.parent
            WHERE NOT one.open AND above.open IS NOT TRUE
            ORDER BY one.completed_at NULLS FIRST, one.id LIMIT least(surplus, finished));
    DELETE FROM lockgate.sessions WHERE number = ANY (going);
    RETURN true;
END $$;

-- `made`: it was. Otherwise `known` is the session that the key names; without one there is no room.
CREATE OR REPLACE FUNCTION lockgate.create_session(
    p_id text, p_workflow text, p_caller text, p_key text, p_parent text, p_started_at bigint, p_status text,
    p_open boolean, p_updated_at bigint, p_completed_at bigint, p_waiting text, p_due bigint, p_definition text,
    p_events text[], p_most bigint, p_finished_before bigint, p_evict_open boolean, p_holder text, p_lease bigint,
    OUT made boolean, OUT known text
) LANGUAGE plpgsql AS $$
DECLARE
    -- More creations than can be under way at once: below the limit by this much nobody needs to wait.
    slack CONSTANT bigint := 256;
    near boolean := false;
    own  bigint;
BEGIN
    made := false;
    SELECT id INTO known FROM lockgate.sessions WHERE workflow = p_workflow AND caller = p_caller AND key = p_key;
    IF known IS NOT NULL THEN
        RETURN;
    END IF;
    -- A limit of a thousand million is none.
    IF p_most < 1000000000 AND (
        SELECT count(*) FROM (SELECT FROM lockgate.sessions LIMIT greatest(p_most - slack, 0)) AS counted
    ) >= p_most - slack THEN
        -- The lock comes before any row, so that who holds it never waits for who waits for it.
        PERFORM pg_advisory_xact_lock(hashtextextended('lockgate.create_session', 0));
        SELECT id INTO known FROM lockgate.sessions
            WHERE workflow = p_workflow AND caller = p_caller AND key = p_key;
        IF known IS NOT NULL THEN
            RETURN;
        END IF;
        near := true;
    END IF;
    DELETE FROM lockgate.sessions WHERE number IN (
        SELECT number FROM lockgate.sessions AS one WHERE NOT open AND completed_at < p_finished_before
            AND NOT EXISTS (SELECT FROM lockgate.sessions AS above WHERE above.id = one.parent AND above.open)
            FOR UPDATE SKIP LOCKED);
    IF near AND NOT lockgate.make_room(p_most, p_evict_open, p_parent) THEN
        RETURN;
    END IF;
    INSERT INTO lockgate.sessions (id, workflow, caller, key, parent, started_at, status, open, updated_at,
            completed_at, waiting, waits_for, due, definition, events, holder, held_until)
        VALUES (p_id, p_workflow, p_caller, p_key, p_parent, p_started_at, p_status, p_open, p_updated_at,
            p_completed_at, p_waiting, nullif(p_waiting, 'step'), p_due, p_definition, cardinality(p_events), p_holder,
            lockgate.clock() + p_lease)
        ON CONFLICT DO NOTHING RETURNING number INTO own;
    IF own IS NULL THEN
        SELECT id INTO known FROM lockgate.sessions
            WHERE workflow = p_workflow AND caller = p_caller AND key = p_key;
        IF known IS NULL THEN
            PERFORM lockgate.taken(p_id);
        END IF;
        RETURN;
    END IF;
    INSERT INTO lockgate.session_events (session, seq, event)
        SELECT own, n - 1, event FROM unnest(p_events) WITH ORDINALITY AS new (event, n);
    made := true;
END $$;

CREATE OR REPLACE FUNCTION lockgate.cleanup_sessions(p_finished_before bigint, p_most bigint, p_statuses text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    old_ones bigint;
    surplus  bigint := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('lockgate.create_session', 0));
    DELETE FROM lockgate.sessions WHERE number IN (
        SELECT number FROM lockgate.sessions AS one WHERE NOT open AND completed_at < p_finished_before
            AND (p_statuses IS NULL OR status = ANY (p_statuses))
            AND NOT EXISTS (SELECT FROM lockgate.sessions AS above WHERE above.id = one.parent AND above.open)
            ORDER BY number FOR UPDATE);
    GET DIAGNOSTICS old_ones = ROW_COUNT;
    IF p_most IS NOT NULL THEN
        DELETE FROM lockgate.sessions WHERE number IN (
            SELECT number FROM lockgate.sessions AS one
                WHERE NOT open AND (p_statuses IS NULL OR status = ANY (p_statuses))
                AND NOT EXISTS (SELECT FROM lockgate.sessions AS above WHERE above.id = one.parent AND above.open)
                ORDER BY completed_at NULLS FIRST, id
                LIMIT greatest((SELECT count(*) FROM lockgate.sessions) - p_most, 0));
        GET DIAGNOSTICS surplus = ROW_COUNT;
    END IF;
    RETURN old_ones + surplus;
END $$;
