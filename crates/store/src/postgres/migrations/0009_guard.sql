-- Changes of definitions that name each other. `LG412` says that a definition was changed since the change was decided;
-- it undoes everything.

-- Keeps these marks as they are for everybody else until the transaction ends, if they are still what they were; where
-- there is no count it may be any. Every change of a definition begins with this, so that none waits for one that
-- waits for it.
CREATE FUNCTION lockgate.hold_marks(p_areas text[], p_counts bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM lockgate.marks WHERE area = ANY (p_areas) ORDER BY area FOR UPDATE;
    IF EXISTS (
        SELECT FROM unnest(p_areas, p_counts) AS seen (area, count) JOIN lockgate.marks AS now USING (area)
            WHERE now.count <> seen.count
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'LG412', MESSAGE = 'moved';
    END IF;
    RETURN true;
END $$;

CREATE FUNCTION lockgate.remove_definition(p_area text, p_key text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    CASE p_area
        WHEN 'hooks' THEN DELETE FROM lockgate.hooks WHERE id = p_key;
        WHEN 'workflows' THEN DELETE FROM lockgate.workflows WHERE id = p_key;
        WHEN 'activities' THEN DELETE FROM lockgate.activities WHERE name = p_key;
        WHEN 'schedules' THEN DELETE FROM lockgate.schedules WHERE id = p_key;
    END CASE;
    RETURN FOUND;
END $$;
