-- A session of a workflow is not created while the workflow loses its name, nor the other way round: whoever creates one
-- shares a lock with the others, and whoever takes a name has it alone. Both look only once they have it.

-- Whether workflows were changed no more than so often; where there is no count it does not matter.
CREATE FUNCTION lockgate.workflows_stand(p_count bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF p_count IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('lockgate.workflow_names', 0));
        IF (SELECT count FROM lockgate.marks WHERE area = 'workflows') <> p_count THEN
            RAISE EXCEPTION USING ERRCODE = 'LG412', MESSAGE = 'moved';
        END IF;
    END IF;
    RETURN true;
END $$;

-- Whether no session of the workflow of that name is open; where there is no name it does not matter.
CREATE FUNCTION lockgate.name_is_free(p_workflow text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF p_workflow IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('lockgate.workflow_names', 0));
        IF EXISTS (SELECT FROM lockgate.sessions WHERE open AND workflow = p_workflow) THEN
            RAISE EXCEPTION USING ERRCODE = 'LG412', MESSAGE = 'moved';
        END IF;
    END IF;
    RETURN true;
END $$;
