-- Counts of a histogram by their distance from the bucket of the median, and the mean in whole tenths, which compress
-- better than counts from the first bucket on and an exact sum (`src/rollups/stored.ts`). Rows of before have them by
-- these defaults, read from the old columns as long as nothing merges them; new rows leave the old columns empty.
ALTER TABLE check_hours
    ADD COLUMN IF NOT EXISTS whole Array(UInt32)
        ALIAS arrayMap((lower, upper) -> toUInt32(lower + 256 * upper), counts, arrayResize(counts_above, length(counts))),
    -- Where the median's bucket stands among them, from 1; 0 in new rows.
    ADD COLUMN IF NOT EXISTS median_at UInt32
        ALIAS toUInt32(arrayFirstIndex(total -> 2 * total >= seen, arrayCumSum(whole))),
    ADD COLUMN IF NOT EXISTS others Array(UInt32) ALIAS arrayConcat(
        arrayMap(step -> if(median_at + step > 0, whole[median_at + step], 0), [-2, -1, 1, 2]),
        arrayReverse(arraySlice(whole, 1, greatest(0, toInt64(median_at) - 3))), arraySlice(whole, median_at + 3)),
    ADD COLUMN IF NOT EXISTS middle_bucket UInt8 DEFAULT toUInt8(first_bucket + median_at - 1) CODEC(Delta, ZSTD(16)),
    ADD COLUMN IF NOT EXISTS near Array(UInt8)
        DEFAULT arrayMap(count -> toUInt8(bitAnd(count, 255)), arraySlice(others, 1, 4)) CODEC(ZSTD(16)),
    ADD COLUMN IF NOT EXISTS below Array(UInt8) DEFAULT arrayMap(count -> toUInt8(bitAnd(count, 255)),
        arraySlice(others, 5, greatest(0, toInt64(median_at) - 3))) CODEC(ZSTD(16)),
    ADD COLUMN IF NOT EXISTS above Array(UInt8) DEFAULT arrayMap(count -> toUInt8(bitAnd(count, 255)),
        arraySlice(others, 5 + greatest(0, toInt64(median_at) - 3))) CODEC(ZSTD(16)),
    ADD COLUMN IF NOT EXISTS high Array(UInt32)
        DEFAULT if(arrayMax(others) > 255, arrayMap(count -> toUInt32(bitShiftRight(count, 8)), others), [])
        CODEC(T64, ZSTD(16)),
    ADD COLUMN IF NOT EXISTS sum_of_middles Int64 ALIAS toInt64(arraySum(arrayMap(
        (count, nth) -> count * floor(pow(1.08, first_bucket + nth - 1.5)), whole, arrayEnumerate(whole)))),
    ADD COLUMN IF NOT EXISTS mean_rest Int64
        DEFAULT toInt64(round((sum_of_middles + sum_rest) / seen)) - intDiv(sum_of_middles, seen) CODEC(T64, ZSTD(16)),
    MODIFY COLUMN seen UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN failed UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN max_rest UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN last_lateness UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN last_error LowCardinality(String) CODEC(ZSTD(16)),
    MODIFY COLUMN revision UInt64 CODEC(ZSTD(16)),
    MODIFY COLUMN dns UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16)),
    MODIFY COLUMN connect UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16)),
    MODIFY COLUMN tls UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16)),
    MODIFY COLUMN first_byte UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16));
ALTER TABLE check_days
    ADD COLUMN IF NOT EXISTS whole Array(UInt32)
        ALIAS arrayMap((lower, upper) -> toUInt32(lower + 256 * upper), counts, arrayResize(counts_above, length(counts))),
    -- Where the median's bucket stands among them, from 1; 0 in new rows.
    ADD COLUMN IF NOT EXISTS median_at UInt32
        ALIAS toUInt32(arrayFirstIndex(total -> 2 * total >= seen, arrayCumSum(whole))),
    ADD COLUMN IF NOT EXISTS others Array(UInt32) ALIAS arrayConcat(
        arrayMap(step -> if(median_at + step > 0, whole[median_at + step], 0), [-2, -1, 1, 2]),
        arrayReverse(arraySlice(whole, 1, greatest(0, toInt64(median_at) - 3))), arraySlice(whole, median_at + 3)),
    ADD COLUMN IF NOT EXISTS middle_bucket UInt8 DEFAULT toUInt8(first_bucket + median_at - 1) CODEC(Delta, ZSTD(16)),
    ADD COLUMN IF NOT EXISTS near Array(UInt8)
        DEFAULT arrayMap(count -> toUInt8(bitAnd(count, 255)), arraySlice(others, 1, 4)) CODEC(ZSTD(16)),
    ADD COLUMN IF NOT EXISTS below Array(UInt8) DEFAULT arrayMap(count -> toUInt8(bitAnd(count, 255)),
        arraySlice(others, 5, greatest(0, toInt64(median_at) - 3))) CODEC(ZSTD(16)),
    ADD COLUMN IF NOT EXISTS above Array(UInt8) DEFAULT arrayMap(count -> toUInt8(bitAnd(count, 255)),
        arraySlice(others, 5 + greatest(0, toInt64(median_at) - 3))) CODEC(ZSTD(16)),
    ADD COLUMN IF NOT EXISTS high Array(UInt32)
        DEFAULT if(arrayMax(others) > 255, arrayMap(count -> toUInt32(bitShiftRight(count, 8)), others), [])
        CODEC(T64, ZSTD(16)),
    ADD COLUMN IF NOT EXISTS sum_of_middles Int64 ALIAS toInt64(arraySum(arrayMap(
        (count, nth) -> count * floor(pow(1.08, first_bucket + nth - 1.5)), whole, arrayEnumerate(whole)))),
    ADD COLUMN IF NOT EXISTS mean_rest Int64
        DEFAULT toInt64(round((sum_of_middles + sum_rest) / seen)) - intDiv(sum_of_middles, seen) CODEC(T64, ZSTD(16)),
    MODIFY COLUMN seen UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN failed UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN max_rest UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN last_lateness UInt32 CODEC(T64, ZSTD(16)),
    MODIFY COLUMN last_error LowCardinality(String) CODEC(ZSTD(16)),
    MODIFY COLUMN revision UInt64 CODEC(ZSTD(16)),
    MODIFY COLUMN dns UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16)),
    MODIFY COLUMN connect UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16)),
    MODIFY COLUMN tls UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16)),
    MODIFY COLUMN first_byte UInt8 DEFAULT 0 CODEC(Delta, ZSTD(16));
