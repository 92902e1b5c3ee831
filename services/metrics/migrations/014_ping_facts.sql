-- Numbers that a job reported about its run, such as rows.
ALTER TABLE pings
    ADD COLUMN IF NOT EXISTS facts Map(LowCardinality(String), Float64) DEFAULT map() CODEC(ZSTD(3));
