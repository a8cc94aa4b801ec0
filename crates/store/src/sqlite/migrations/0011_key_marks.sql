-- Changes of keys are counted too, so that other processes notice them as soon as they notice a hook.
INSERT INTO marks VALUES ('keys', 0);
CREATE TRIGGER keys_mark_added AFTER INSERT ON keys BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'keys';
END;
CREATE TRIGGER keys_mark_changed AFTER UPDATE ON keys BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'keys';
END;
CREATE TRIGGER keys_mark_removed AFTER DELETE ON keys BEGIN
    UPDATE marks SET count = count + 1 WHERE area = 'keys';
END;
