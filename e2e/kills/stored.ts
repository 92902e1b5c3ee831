import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";

/** A check as history holds it; instants in epoch milliseconds. */
export interface StoredCheck {
  monitorId: number;
  slotMs: number;
  /** When the attempt that is reported began, and how long it took. */
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

/** Everything in ClickHouse, read once metrics is stopped and its folder free. */
export async function readStored(dataDir: string): Promise<{ checks: StoredCheck[]; samples: StoredSample[] }> {
  const clickhouse = await openClickHouse({ dataDir: engineDir(dataDir) });
  // The client for writing bounds no answer.
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
