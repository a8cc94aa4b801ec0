-- Writes of several steps, each as one function, so that each costs one round trip and holds its locks only inside the
-- server. `LG409` says that the name in the message is taken, `LG404` that it is not there; both undo everything.

CREATE FUNCTION lockgate.taken(p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'LG409', MESSAGE = p_name;
END $$;

CREATE FUNCTION lockgate.gone(p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'LG404', MESSAGE = p_name;
END $$;

CREATE FUNCTION lockgate.add_hooks(p_ids text[], p_names text[], p_definitions text[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE lockgate.hooks IN SHARE ROW EXCLUSIVE MODE;
    FOR i IN 1 .. cardinality(p_ids) LOOP
        INSERT INTO lockgate.hooks (id, name, definition) VALUES (p_ids[i], p_names[i], p_definitions[i])
            ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            PERFORM lockgate.taken(p_names[i]);
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION lockgate.replace_hooks(p_ids text[], p_names text[], p_definitions text[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE lockgate.hooks IN SHARE ROW EXCLUSIVE MODE;
    FOR i IN 1 .. cardinality(p_ids) LOOP
        IF EXISTS (SELECT FROM lockgate.hooks WHERE name = p_names[i] AND id <> p_ids[i])
            AND EXISTS (SELECT FROM lockgate.hooks WHERE id = p_ids[i]) THEN
            PERFORM lockgate.taken(p_names[i]);
        END IF;
        UPDATE lockgate.hooks SET name = p_names[i], definition = p_definitions[i] WHERE id = p_ids[i];
        IF NOT FOUND THEN
            PERFORM lockgate.gone(p_ids[i]);
        END IF;
    END LOOP;
END $$;

-- `p_single`: at most one workflow of its type is enabled.
CREATE FUNCTION lockgate.put_workflow(
    p_new boolean, p_id text, p_type text, p_enabled boolean, p_single boolean, p_definition text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE lockgate.workflows IN SHARE ROW EXCLUSIVE MODE;
    IF p_enabled AND p_single THEN
        UPDATE lockgate.workflows SET enabled = false WHERE type = p_type AND id <> p_id AND enabled;
    END IF;
    IF p_new THEN
        INSERT INTO lockgate.workflows (id, type, enabled, definition)
            VALUES (p_id, p_type, p_enabled, p_definition) ON CONFLICT (id) DO NOTHING;
        IF NOT FOUND THEN
            PERFORM lockgate.taken(p_id);
        END IF;
    ELSE
        UPDATE lockgate.workflows SET type = p_type, enabled = p_enabled, definition = p_definition WHERE id = p_id;
        IF NOT FOUND THEN
            PERFORM lockgate.gone(p_id);
        END IF;
    END IF;
END $$;

-- Changes are serial per workflow. Where `p_any` holds, `p_before` does not matter.
CREATE FUNCTION lockgate.change_variables(
    p_workflow text, p_names text[], p_any boolean[], p_before text[], p_after text[]
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM lockgate.workflows WHERE id = p_workflow FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM lockgate.gone(p_workflow);
    END IF;
    IF EXISTS (
        SELECT FROM unnest(p_names, p_any, p_before) AS wish (name, whatever, before)
            LEFT JOIN lockgate.variables AS kept ON kept.workflow = p_workflow AND kept.name = wish.name
            WHERE NOT wish.whatever AND kept.value IS DISTINCT FROM wish.before
    ) THEN
        RETURN false;
    END IF;
    FOR i IN 1 .. cardinality(p_names) LOOP
        INSERT INTO lockgate.variables (workflow, name, value) VALUES (p_workflow, p_names[i], p_after[i])
            ON CONFLICT (workflow, name) DO UPDATE SET value = excluded.value;
    END LOOP;
    RETURN true;
END $$;

CREATE FUNCTION lockgate.put_activity(
    p_name text, p_body text, p_revision bigint, p_created_at bigint, p_updated_at bigint, p_before bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF p_before IS NULL THEN
        INSERT INTO lockgate.activities (name, body, revision, created_at, updated_at)
            VALUES (p_name, p_body, p_revision, p_created_at, p_updated_at) ON CONFLICT (name) DO NOTHING;
        IF NOT FOUND THEN
            PERFORM lockgate.taken(p_name);
        END IF;
        RETURN true;
    END IF;
    UPDATE lockgate.activities
        SET body = p_body, revision = p_revision, created_at = p_created_at, updated_at = p_updated_at
        WHERE name = p_name AND revision = p_before;
    IF FOUND THEN
        RETURN true;
    END IF;
    PERFORM FROM lockgate.activities WHERE name = p_name;
    IF NOT FOUND THEN
        PERFORM lockgate.gone(p_name);
    END IF;
    RETURN false;
END $$;

-- Several instances sweep, each at its own pace; a sweep soon after that of another would take a definition whose
-- session is on its way, so it does nothing.
CREATE FUNCTION lockgate.sweep_definitions(p_instance text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    removed bigint;
BEGIN
    INSERT INTO lockgate.sweeps AS last VALUES (true, p_instance, clock_timestamp())
        ON CONFLICT (one) DO UPDATE SET instance = p_instance, at = clock_timestamp()
        WHERE last.instance = p_instance OR last.at < clock_timestamp() - interval '1 minute';
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    DELETE FROM lockgate.definitions
        WHERE NOT fresh AND NOT EXISTS (SELECT FROM lockgate.sessions WHERE sessions.definition = definitions.hash);
    GET DIAGNOSTICS removed = ROW_COUNT;
    UPDATE lockgate.definitions SET fresh = false WHERE fresh;
    RETURN removed;
END $$;

-- The time by the clock of the database, in milliseconds since 1970.
CREATE FUNCTION lockgate.clock() RETURNS bigint LANGUAGE sql AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- Counts a change of an area of definitions, and tells all who listen.
CREATE FUNCTION lockgate.mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lockgate.marks SET count = count + 1 WHERE area = TG_TABLE_NAME;
    PERFORM pg_notify('lockgate_marks', '');
    RETURN NULL;
END $$;
CREATE TRIGGER servers_mark AFTER INSERT OR UPDATE OR DELETE ON lockgate.servers
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
CREATE TRIGGER hooks_mark AFTER INSERT OR UPDATE OR DELETE ON lockgate.hooks
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
CREATE TRIGGER workflows_mark AFTER INSERT OR UPDATE OR DELETE ON lockgate.workflows
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
CREATE TRIGGER activities_mark AFTER INSERT OR UPDATE OR DELETE ON lockgate.activities
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
CREATE TRIGGER schedules_mark AFTER INSERT OR UPDATE OF workflow, body, paused OR DELETE ON lockgate.schedules
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
CREATE TRIGGER templates_mark AFTER INSERT OR UPDATE OR DELETE ON lockgate.templates
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
