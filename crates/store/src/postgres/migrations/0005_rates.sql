-- Rates that all instances hold together. Nothing is lost when these rows are: a bucket that is not there is full.
CREATE UNLOGGED TABLE lockgate.rates (
    name    text             PRIMARY KEY,
    -- When the bucket is full again, in microseconds since 1970.
    full_at double precision NOT NULL
);

-- Takes up to `p_want` tokens. `p_each` is the time in which one comes, `p_depth` the time in which an empty bucket
-- becomes full, `rest` the time until there is another one, all in microseconds.
CREATE FUNCTION lockgate.take_rate(
    p_name text, p_each double precision, p_depth double precision, p_want bigint,
    OUT granted bigint, OUT rest double precision
) LANGUAGE plpgsql AS $$
DECLARE
    v_now  double precision;
    v_full double precision;
    -- Whether another rate was in force, with which it takes longer to become full.
    v_over boolean;
BEGIN
    INSERT INTO lockgate.rates (name, full_at) VALUES (p_name, 0) ON CONFLICT (name) DO NOTHING;
    SELECT full_at INTO v_full FROM lockgate.rates WHERE name = p_name FOR UPDATE;
    -- After the lock: whoever waited for it has seen time pass.
    v_now := floor(extract(epoch FROM clock_timestamp())::double precision * 1e6);
    v_over := coalesce(v_full, 0) > v_now + p_depth;
    v_full := least(greatest(coalesce(v_full, 0), v_now), v_now + p_depth);
    granted := greatest(0, least(p_want, floor((p_depth - (v_full - v_now)) / p_each + 1e-6)))::bigint;
    v_full := v_full + granted * p_each;
    rest := CASE WHEN granted < p_want THEN greatest(0, v_full + p_each - p_depth - v_now) ELSE 0 END;
    IF granted > 0 OR v_over THEN
        UPDATE lockgate.rates SET full_at = v_full WHERE name = p_name;
    END IF;
    -- Buckets that nobody has used for a day go now and then.
    IF random() < 0.0005 THEN
        DELETE FROM lockgate.rates WHERE name IN (
            SELECT name FROM lockgate.rates WHERE full_at < v_now - 86400e6 FOR UPDATE SKIP LOCKED);
    END IF;
END $$;
