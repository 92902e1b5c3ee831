-- Checks in maintenance: their response times and phases count, in no uptime. `seen` and `failed` stay those that count there;
-- histogram, sum, greatest value and phases are of both. In rows of before it is 0, and they hold those that count alone.
ALTER TABLE check_hours ADD COLUMN IF NOT EXISTS covered UInt32 DEFAULT 0 CODEC(T64, ZSTD(16));
ALTER TABLE check_days ADD COLUMN IF NOT EXISTS covered UInt32 DEFAULT 0 CODEC(T64, ZSTD(16));

-- Hours whose checks are kept are made anew with them.
INSERT INTO touched_hours SELECT hour, generateUUIDv4(hour)
    FROM (SELECT DISTINCT toStartOfHour(slot) AS hour FROM checks WHERE maintenance);
