-- Appends to many sessions, each as if it were alone, in one transaction. The events of each are those after the first
-- `p_before` of `p_events`, and so many. Gives the positions, from 1, of those that were done. One that somebody else
-- holds the row of is not waited for, so that no two of these ever wait for each other; whoever asked tries it alone.
--
-- How it is carried out does not depend on how many there are, and planning it would cost more than doing it.
CREATE FUNCTION lockgate.append_to_sessions(
    p_ids text[], p_at bigint[], p_before integer[], p_counts integer[], p_events text[], p_updated_at bigint[],
    p_waiting text[], p_due bigint[], p_status text[], p_open boolean[], p_completed_at bigint[],
    p_definition text[], p_stays boolean[], p_holder text[], p_lease bigint[]
) RETURNS bigint[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    done bigint[];
BEGIN
    WITH moved AS (
        UPDATE lockgate.sessions AS kept SET events = kept.events + new.count, updated_at = new.updated_at,
            waiting = new.waiting, waits_for = nullif(new.waiting, 'step'),
            busy = kept.busy AND new.open OR new.waiting IS NOT DISTINCT FROM 'step',
            due = new.due, status = new.status, open = new.open, completed_at = new.completed_at,
            definition = new.definition, holder = CASE WHEN new.stays THEN kept.holder ELSE new.holder END,
            held_until = CASE WHEN new.stays THEN kept.held_until ELSE lockgate.clock() + new.lease END
        FROM unnest(p_ids, p_at, p_before, p_counts, p_updated_at, p_waiting, p_due, p_status, p_open, p_completed_at,
                p_definition, p_stays, p_holder, p_lease) WITH ORDINALITY AS new (id, at, before, count, updated_at,
                waiting, due, status, open, completed_at, definition, stays, holder, lease, position), LATERAL (
            SELECT number FROM lockgate.sessions AS free WHERE free.id = new.id AND free.events = new.at
            FOR UPDATE SKIP LOCKED
        ) AS free
        WHERE kept.number = free.number RETURNING kept.number, new.position, new.at, new.count, new.before
    ), added AS (
        INSERT INTO lockgate.session_events (session, seq, event)
        SELECT moved.number, moved.at + n - 1, p_events[moved.before + n]
        FROM moved, generate_series(1, moved.count) AS n
    )
    SELECT array_agg(position) INTO done FROM moved;
    RETURN done;
END $$;
