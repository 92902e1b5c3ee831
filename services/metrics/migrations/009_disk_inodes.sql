-- Beside each disk the share of its inodes that is used, in hundredths of 100; NULL where the file system has none, and
-- for samples of before.
ALTER TABLE samples ADD COLUMN IF NOT EXISTS
    disk_inodes Array(Nullable(UInt16)) DEFAULT arrayMap(disk -> CAST(NULL, 'Nullable(UInt16)'), disks) CODEC(ZSTD(3))
    AFTER disk_usage;
