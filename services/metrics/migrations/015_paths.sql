-- Routes to targets that timed out: JSON of the hops (proto/http/incidents/explanation.ts). A row for a failure and one for its recovery.
CREATE TABLE IF NOT EXISTS paths
(
    monitor_id UInt32                 CODEC(Delta, ZSTD(3)),
    at         DateTime64(3, 'UTC')   CODEC(Delta, ZSTD(3)),
    location   LowCardinality(String) CODEC(ZSTD(3)),
    address    String                 CODEC(ZSTD(3)),
    recovered  Bool                   CODEC(ZSTD(3)),
    hops       String                 CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(at)
ORDER BY (monitor_id, at, location)
SETTINGS index_granularity = 128, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
