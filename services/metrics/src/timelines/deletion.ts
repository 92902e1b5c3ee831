import { rowsOf } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import type { Access } from "../clickhouse/access.ts";
import { startLoop } from "@sonde/kit/time/loop";

const owners = {
  monitors: {
    column: "monitor_id",
    tables: ["checks", "failed_checks", "evidence", "paths", "pings", "unseen", "check_hours", "check_days"],
  },
  agents: { column: "agent_id", tables: ["samples", "sample_hours"] },
} as const;
const idsAtOnce = 1_000;

type Deletion = (client: ClickHouseClient, ids: readonly number[]) => Promise<void>;

/** Deletes all rows of these ids. Runs again at each start, so tables without such rows are skipped. */
export const deleteRowsOf =
  (owner: keyof typeof owners): Deletion =>
  (client, ids) =>
    deleteRows(client, ids, owners[owner]);

async function deleteRows(
  client: ClickHouseClient,
  ids: readonly number[],
  { column, tables }: (typeof owners)[keyof typeof owners],
): Promise<void> {
  for (const table of tables) {
    if (
      (await rowsOf(client, `SELECT 1 FROM ${table} WHERE ${column} IN {ids:Array(UInt32)} LIMIT 1`, { ids }))
        .length === 0
    )
      continue;
    await client.command({
      // No bound parameters: this is slow, and would block reads that use them.
      query: `DELETE FROM ${table} WHERE ${column} IN (${ids.map(Number).join()})`,
    });
  }
}

/** Deletes rows of added ids in batches, soon after they are added. Retries until it succeeds. */
export function startDeletions({
  access,
  log,
  remove,
}: {
  access: Pick<Access, "write">;
  log: Log;
  remove: Deletion;
}): Service & { add(id: number): void } {
  const waiting = new Set<number>();
  const work = async () => {
    while (waiting.size > 0) {
      const ids = [...waiting].slice(0, idsAtOnce);
      await access.write((client) => remove(client, ids));
      for (const id of ids) waiting.delete(id);
    }
  };
  const turns = startLoop({ work: "deleting history", log, everyMs: 10_000, run: work });
  return {
    add: (id) => {
      waiting.add(id);
      turns.nudge();
    },
    stop: turns.stop,
  };
}
