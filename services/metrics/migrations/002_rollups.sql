-- Hours whose rows changed since they were rolled up. A mark is written after its rows and before they are
-- acknowledged, and goes once the rollup that began after it is stored. Reads take marked hours from `checks`.
CREATE TABLE IF NOT EXISTS touched_hours
(
    hour DateTime('UTC'),
    mark UUID
)
ENGINE = MergeTree
ORDER BY hour
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Scheduled checks of one monitor in one hour, over all locations. min, max and sum are tenths of a millisecond;
-- buckets and counts are the histogram of response times on a scale of 8 % steps, to be added up by sumMap.
CREATE TABLE IF NOT EXISTS rollup_hours
(
    monitor_id    UInt32               CODEC(Delta, ZSTD(3)),
    hour          DateTime('UTC')      CODEC(DoubleDelta, ZSTD(3)),
    seen          UInt32               CODEC(T64, ZSTD(3)),
    up            UInt32               CODEC(T64, ZSTD(3)),
    min           UInt32               CODEC(T64, ZSTD(3)),
    max           UInt32               CODEC(T64, ZSTD(3)),
    sum           UInt64               CODEC(T64, ZSTD(3)),
    buckets       Array(UInt8)         CODEC(ZSTD(3)),
    counts        Array(UInt32)        CODEC(T64, ZSTD(3)),
    last_slot     DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(3)),
    last_lateness UInt32               CODEC(T64, ZSTD(3)),
    -- The newest failure's message; empty: none failed.
    last_error    String               CODEC(ZSTD(3)),
    revision      UInt64               CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toMonday(hour)
ORDER BY (monitor_id, hour)
SETTINGS index_granularity = 4096, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;

-- The same by UTC day, made from hours.
CREATE TABLE IF NOT EXISTS rollup_days
(
    monitor_id    UInt32               CODEC(Delta, ZSTD(3)),
    day           Date                 CODEC(DoubleDelta, ZSTD(3)),
    seen          UInt32               CODEC(T64, ZSTD(3)),
    up            UInt32               CODEC(T64, ZSTD(3)),
    min           UInt32               CODEC(T64, ZSTD(3)),
    max           UInt32               CODEC(T64, ZSTD(3)),
    sum           UInt64               CODEC(T64, ZSTD(3)),
    buckets       Array(UInt8)         CODEC(ZSTD(3)),
    counts        Array(UInt32)        CODEC(T64, ZSTD(3)),
    last_slot     DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(3)),
    last_lateness UInt32               CODEC(T64, ZSTD(3)),
    last_error    String               CODEC(ZSTD(3)),
    revision      UInt64               CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toYYYYMM(day)
ORDER BY (monitor_id, day)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
