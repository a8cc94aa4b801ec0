-- Changes of keys are counted too, so that other instances notice them as soon as they notice a hook.
INSERT INTO lockgate.marks VALUES ('keys', 0);
CREATE TRIGGER keys_mark AFTER INSERT OR UPDATE OR DELETE ON lockgate.keys
    FOR EACH ROW EXECUTE FUNCTION lockgate.mark();
