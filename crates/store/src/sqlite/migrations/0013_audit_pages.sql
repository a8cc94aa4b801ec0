-- Entries that were added together with the one in the other columns and come after it, or NULL. `hash` is that of the last
-- of them; those in between follow from it.
ALTER TABLE audit ADD COLUMN more BLOB;
