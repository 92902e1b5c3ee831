-- One row a carried-out slot. Durations are tenths of a millisecond: T64 cuts each block of 64 values down to the bits
-- it needs, so that 32 bits cost no more than 16 and slow checks need not be capped. A slot that ran twice keeps the
-- run that began last. Daily partitions make the last 24 hours two short ranges, and let old days go whole.
CREATE TABLE IF NOT EXISTS checks
(
    monitor_id    UInt32                   CODEC(Delta, ZSTD(3)),
    location      LowCardinality(String)   CODEC(ZSTD(3)),
    slot          DateTime64(3, 'UTC')     CODEC(DoubleDelta, ZSTD(3)),
    manual        Bool                     CODEC(ZSTD(3)),
    -- Milliseconds after the slot that the check began, and from there to the attempt that is told here.
    lateness      UInt32                   CODEC(T64, ZSTD(3)),
    recheck_after UInt32                   CODEC(ZSTD(3)),
    up            Bool                     CODEC(ZSTD(3)),
    -- 0: no answer.
    status_code   UInt16                   CODEC(ZSTD(3)),
    dns           UInt32                   CODEC(T64, ZSTD(3)),
    connect       UInt32                   CODEC(T64, ZSTD(3)),
    tls           UInt32                   CODEC(T64, ZSTD(3)),
    first_byte    UInt32                   CODEC(T64, ZSTD(3)),
    total         UInt32                   CODEC(T64, ZSTD(3)),
    -- Response time minus total; nothing but zeros as a rule.
    response_rest Int32                    CODEC(ZSTD(3)),
    error_kind    LowCardinality(String)   CODEC(ZSTD(3)),
    error         String                   CODEC(ZSTD(3)),
    attempt       UInt8                    CODEC(ZSTD(3)),
    failures      UInt32                   CODEC(ZSTD(3)),
    version       UInt32                   CODEC(ZSTD(3)),
    runner        LowCardinality(String)   CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(lateness)
PARTITION BY toDate(slot)
PRIMARY KEY (monitor_id, location, slot)
ORDER BY (monitor_id, location, slot, manual)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
