-- Calls of heartbeats' addresses. `id` is of the call: what was stored twice on the bus is one. -1: not known.
CREATE TABLE IF NOT EXISTS pings
(
    monitor_id  UInt32                 CODEC(Delta, ZSTD(3)),
    at          DateTime64(3, 'UTC')   CODEC(DoubleDelta, ZSTD(3)),
    id          String                 CODEC(ZSTD(3)),
    type        LowCardinality(String) CODEC(ZSTD(3)),
    exit_code   Int16                  CODEC(ZSTD(3)),
    run_id      String                 CODEC(ZSTD(3)),
    duration    Float64                CODEC(ZSTD(3)),
    caller      String                 CODEC(ZSTD(3)),
    output      String                 CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(at)
ORDER BY (monitor_id, at, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;

-- What was due of a heartbeat while Sonde itself could take no calls: due, and not seen. Few rows, or none.
CREATE TABLE IF NOT EXISTS unseen
(
    monitor_id UInt32               CODEC(Delta, ZSTD(3)),
    slot       DateTime64(3, 'UTC') CODEC(Delta, ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(slot)
ORDER BY (monitor_id, slot)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
