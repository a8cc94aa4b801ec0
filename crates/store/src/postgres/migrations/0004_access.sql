-- Keys that the gateway made; `digest` is all that is kept of the key itself.
CREATE TABLE lockgate.keys (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL UNIQUE,
    digest     text   COLLATE "C" NOT NULL UNIQUE,
    permits    text   NOT NULL,
    created_at bigint NOT NULL
);

-- What happened, in a chain: `hash` covers the row and the hash of the row before, which is `previous`.
CREATE TABLE lockgate.audit (
    number   bigint PRIMARY KEY,
    at       bigint NOT NULL,
    kind     text   NOT NULL,
    who      text   NOT NULL,
    subject  text   NOT NULL,
    body     text   NOT NULL,
    previous text   NOT NULL,
    hash     text   NOT NULL
);

-- The last row ever written, so that the chain goes on where it was when old rows are gone.
CREATE TABLE lockgate.audit_end (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    number bigint  NOT NULL,
    hash   text    NOT NULL
);
INSERT INTO lockgate.audit_end (number, hash) VALUES (0, '');

-- Adds rows that were made to follow `p_after`. False, and nothing is added, when another instance was faster.
CREATE FUNCTION lockgate.append_audit(
    p_after bigint, p_at bigint[], p_kinds text[], p_who text[], p_subjects text[], p_bodies text[],
    p_previous text[], p_hashes text[]
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lockgate.audit_end SET number = p_after + cardinality(p_at), hash = p_hashes[cardinality(p_at)]
        WHERE number = p_after;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO lockgate.audit (number, at, kind, who, subject, body, previous, hash)
        SELECT p_after + n, at, kind, who, subject, body, previous, hash
        FROM unnest(p_at, p_kinds, p_who, p_subjects, p_bodies, p_previous, p_hashes) WITH ORDINALITY
            AS new (at, kind, who, subject, body, previous, hash, n);
    RETURN true;
END $$;
