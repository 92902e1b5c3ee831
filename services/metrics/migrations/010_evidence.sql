-- What failed checks found: JSON of a FoundEvidence (proto/http/incidents/evidence.ts). A few rows an hour of a monitor that is
-- down, each of some kilobytes and much like the one before it. Daily partitions, so that none outlives raw checks.
CREATE TABLE IF NOT EXISTS evidence
(
    monitor_id UInt32                 CODEC(Delta, ZSTD(3)),
    at         DateTime64(3, 'UTC')   CODEC(Delta, ZSTD(3)),
    location   LowCardinality(String) CODEC(ZSTD(3)),
    found      String                 CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(at)
ORDER BY (monitor_id, at, location)
SETTINGS index_granularity = 128, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
