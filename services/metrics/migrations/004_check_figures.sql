-- Read whenever rows are, to tell an hour from its day: a plain difference is as small and twice as quick to undo.
ALTER TABLE checks MODIFY COLUMN slot DateTime64(3, 'UTC') CODEC(Delta, ZSTD(3));

-- Scheduled checks of one monitor in one hour, over all locations, in the place of rollup_hours. The histogram is whole
-- from its first bucket to its last, of each count the lower eight bits, and what is above where any needs more. The
-- greatest value is told from the floor of the last bucket, the sum from what the histogram makes of it; all are whole
-- numbers, so that they come back as they were (`src/rollups/stored.ts`).
CREATE TABLE IF NOT EXISTS check_hours
(
    monitor_id    UInt32                 CODEC(Delta, ZSTD(3)),
    hour          DateTime('UTC')        CODEC(DoubleDelta, ZSTD(3)),
    seen          UInt32                 CODEC(T64, ZSTD(3)),
    failed        UInt32                 CODEC(T64, ZSTD(3)),
    first_bucket  UInt8                  CODEC(Delta, ZSTD(3)),
    counts        Array(UInt8)           CODEC(ZSTD(3)),
    counts_above  Array(UInt32)          CODEC(T64, ZSTD(3)),
    max_rest      UInt32                 CODEC(T64, ZSTD(3)),
    sum_rest      Int64                  CODEC(T64, ZSTD(3)),
    last_slot     DateTime64(3, 'UTC')   CODEC(DoubleDelta, ZSTD(3)),
    last_lateness UInt32                 CODEC(T64, ZSTD(3)),
    -- The newest failure's message; empty: none failed.
    last_error    LowCardinality(String) CODEC(ZSTD(3)),
    revision      UInt64                 CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toMonday(hour)
ORDER BY (monitor_id, hour)
SETTINGS index_granularity = 4096, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;

-- The same by UTC day, made from hours.
CREATE TABLE IF NOT EXISTS check_days
(
    monitor_id    UInt32                 CODEC(Delta, ZSTD(3)),
    day           Date                   CODEC(DoubleDelta, ZSTD(3)),
    seen          UInt32                 CODEC(T64, ZSTD(3)),
    failed        UInt32                 CODEC(T64, ZSTD(3)),
    first_bucket  UInt8                  CODEC(Delta, ZSTD(3)),
    counts        Array(UInt8)           CODEC(ZSTD(3)),
    counts_above  Array(UInt32)          CODEC(T64, ZSTD(3)),
    max_rest      UInt32                 CODEC(T64, ZSTD(3)),
    sum_rest      Int64                  CODEC(T64, ZSTD(3)),
    last_slot     DateTime64(3, 'UTC')   CODEC(DoubleDelta, ZSTD(3)),
    last_lateness UInt32                 CODEC(T64, ZSTD(3)),
    last_error    LowCardinality(String) CODEC(ZSTD(3)),
    revision      UInt64                 CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toYYYYMM(day)
ORDER BY (monitor_id, day)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;

-- The figures are made anew from the checks; until they are, reads take these hours from the checks themselves.
INSERT INTO touched_hours SELECT hour, generateUUIDv4(hour) FROM (SELECT DISTINCT toStartOfHour(slot) AS hour FROM checks);
DROP TABLE IF EXISTS rollup_hours;
DROP TABLE IF EXISTS rollup_days;
