-- Whether a scheduled check's slot lay in a maintenance window of its monitor, as it was known when the row was written.
-- Such rows are listed and shown, and counted nowhere.
ALTER TABLE checks ADD COLUMN IF NOT EXISTS maintenance Bool DEFAULT false CODEC(ZSTD(3));
