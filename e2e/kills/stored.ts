import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";

/** A check in ClickHouse; instants in epoch milliseconds. */
export interface StoredCheck {
  monitorId: number;
  slotMs: number;
  /** Start and duration of the reported attempt. */
  startedAtMs: number;
  tookMs: number;
  up: boolean;
  answered: boolean;
}

export interface StoredSample {
  agentId: number;
  sequence: number;
  cpu: number;
}

/** Reads ClickHouse's data. Metrics must be stopped, so its folder is free. */
export async function readStored(dataDir: string): Promise<{ checks: StoredCheck[]; samples: StoredSample[] }> {
  const clickhouse = await openClickHouse({ dataDir: engineDir(dataDir) });
  // The writer, unlike the reader, does not limit responses.
  const read = async <Row>(query: string) =>
    (await clickhouse.writer.query({ query, format: "JSONEachRow" })).json<Row>();
  try {
    const checks = await read<StoredCheck>(
      `SELECT monitor_id AS monitorId, toFloat64(toUnixTimestamp64Milli(slot)) AS slotMs, up, status_code > 0 AS answered,
         slotMs + lateness + recheck_after AS startedAtMs, (total + response_rest) / 10 AS tookMs
       FROM checks FINAL WHERE NOT manual`,
    );
    const samples = await read<StoredSample>(
      "SELECT agent_id AS agentId, toFloat64(sequence) AS sequence, cpu FROM samples FINAL",
    );
    return { checks, samples };
  } finally {
    await clickhouse.close();
  }
}
