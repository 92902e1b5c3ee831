-- The mean of each phase in an hour, and in a day: the bucket of the histogram's scale that it lies in, plus one; 0 where
-- no check had it, and in rows of before, whose phases are not known (`src/rollups/phases.ts`).
ALTER TABLE check_hours
    ADD COLUMN IF NOT EXISTS dns UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3)),
    ADD COLUMN IF NOT EXISTS connect UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3)),
    ADD COLUMN IF NOT EXISTS tls UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3)),
    ADD COLUMN IF NOT EXISTS first_byte UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3));
ALTER TABLE check_days
    ADD COLUMN IF NOT EXISTS dns UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3)),
    ADD COLUMN IF NOT EXISTS connect UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3)),
    ADD COLUMN IF NOT EXISTS tls UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3)),
    ADD COLUMN IF NOT EXISTS first_byte UInt8 DEFAULT 0 CODEC(Delta, ZSTD(3));

-- Where checks failed: of a monitor with three failures in 43,000 checks a month these are three rows to look at. Whether
-- a check really failed is asked of `checks`, where a later run of the same slot may have been good; so a row too many
-- does no harm, and one that comes twice is one. A view fills it, for rows of replicas of the version before, too.
CREATE TABLE IF NOT EXISTS failed_checks
(
    monitor_id UInt32                 CODEC(Delta, ZSTD(3)),
    slot       DateTime64(3, 'UTC')   CODEC(Delta, ZSTD(3)),
    location   LowCardinality(String) CODEC(ZSTD(3)),
    manual     Bool                   CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(slot)
ORDER BY (monitor_id, slot, location, manual)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1;
CREATE MATERIALIZED VIEW IF NOT EXISTS failed_checks_of_checks TO failed_checks
    AS SELECT monitor_id, slot, location, manual FROM checks WHERE NOT up;
INSERT INTO failed_checks SELECT monitor_id, slot, location, manual FROM checks WHERE NOT up;
