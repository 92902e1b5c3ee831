-- The part of an hour's histogram that failed, so that percentiles can leave it out: buckets and counts side by side, nothing
-- as a rule. In rows of before it is empty, and percentiles of theirs are of all checks.
ALTER TABLE check_hours
    ADD COLUMN IF NOT EXISTS failed_buckets Array(UInt8) DEFAULT [] CODEC(ZSTD(3)),
    ADD COLUMN IF NOT EXISTS failed_counts Array(UInt32) DEFAULT [] CODEC(ZSTD(3));
ALTER TABLE check_days
    ADD COLUMN IF NOT EXISTS failed_buckets Array(UInt8) DEFAULT [] CODEC(ZSTD(3)),
    ADD COLUMN IF NOT EXISTS failed_counts Array(UInt32) DEFAULT [] CODEC(ZSTD(3));
