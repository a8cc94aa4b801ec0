-- Why the last time of a schedule passed unused.
ALTER TABLE lockgate.schedules ADD COLUMN refused text;
