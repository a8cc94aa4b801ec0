-- Why the last time of a schedule passed unused.
ALTER TABLE schedules ADD COLUMN refused TEXT;
