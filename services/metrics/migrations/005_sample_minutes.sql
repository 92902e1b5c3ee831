-- Which minutes of an hour had samples, of hours that were rolled up before that was kept: metric `minutes` of
-- `sample_hours`, a bit a minute in `sum`. A later rollup of the same hour is the newer row.
INSERT INTO sample_hours (agent_id, metric, name, hour, count, sum, max, revision)
SELECT s.agent_id, 'minutes', '', toStartOfHour(s.at) AS start, toUInt32(count()),
  groupBitOr(bitShiftLeft(toUInt64(1), toMinute(s.at))), toUInt64(0), toUInt64(1)
FROM samples AS s FINAL
GROUP BY s.agent_id, start;
