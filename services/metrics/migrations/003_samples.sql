-- One row a sample, whole: however often a sample is delivered, its disks and interfaces are counted once. `boot` is a
-- hash of the boot id; of a sample without boot id or sequence it is 0, and `sequence` the milliseconds that the agent said.
-- Shares of 100 and loads are hundredths, rates bytes a second; NULL: not known. Whole numbers add up exactly in
-- whatever order they come.
CREATE TABLE IF NOT EXISTS samples
(
    agent_id     UInt32                        CODEC(Delta, ZSTD(3)),
    boot         UInt64                        CODEC(ZSTD(3)),
    sequence     UInt64                        CODEC(DoubleDelta, ZSTD(3)),
    at           DateTime64(3, 'UTC')          CODEC(Delta, ZSTD(3)),
    -- Seconds that are left of 32 bits as the sample is received: of one that came twice, under a clock measured anew,
    -- the first stays, and what was rolled up from it holds.
    seniority    UInt32                        CODEC(Delta, ZSTD(3)),
    cpu          Nullable(UInt16)              CODEC(T64, ZSTD(3)),
    memory       Nullable(UInt16)              CODEC(Delta, ZSTD(3)),
    load_one     Nullable(UInt32)              CODEC(Delta, ZSTD(3)),
    load_five    Nullable(UInt32)              CODEC(Delta, ZSTD(3)),
    load_fifteen Nullable(UInt32)              CODEC(Delta, ZSTD(3)),
    -- Mount points, and beside each its usage.
    disks        Array(LowCardinality(String)) CODEC(ZSTD(3)),
    disk_usage   Array(UInt16)                 CODEC(ZSTD(3)),
    -- Interfaces, and beside each its rates.
    interfaces   Array(LowCardinality(String)) CODEC(ZSTD(3)),
    receive_rate Array(Nullable(UInt64))       CODEC(T64, ZSTD(3)),
    send_rate    Array(Nullable(UInt64))       CODEC(T64, ZSTD(3)),
    -- Rows of a boot are in the order of their instants: an hour's are found without reading its day.
    INDEX instants at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(seniority)
PARTITION BY toDate(at)
ORDER BY (agent_id, boot, sequence)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;

-- As touched_hours, of samples.
CREATE TABLE IF NOT EXISTS touched_sample_hours
(
    hour DateTime('UTC'),
    mark UUID
)
ENGINE = MergeTree
ORDER BY hour
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- One metric of one agent in one hour; `name` is a mount point or an interface. Units as in `samples`.
CREATE TABLE IF NOT EXISTS sample_hours
(
    agent_id UInt32                 CODEC(Delta, ZSTD(3)),
    metric   LowCardinality(String) CODEC(ZSTD(3)),
    name     LowCardinality(String) CODEC(ZSTD(3)),
    hour     DateTime('UTC')        CODEC(DoubleDelta, ZSTD(3)),
    count    UInt32                 CODEC(T64, ZSTD(3)),
    sum      UInt64                 CODEC(T64, ZSTD(3)),
    max      UInt64                 CODEC(T64, ZSTD(3)),
    revision UInt64                 CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toMonday(hour)
ORDER BY (agent_id, metric, name, hour)
SETTINGS index_granularity = 4096, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
