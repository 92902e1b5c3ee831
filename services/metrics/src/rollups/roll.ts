import type { ClickHouseClient } from "@clickhouse/client";
import { dayOf, hourMs } from "./instants.ts";
import { deleteMarks, type HourMark, type MarkTable, selectMarks } from "./marks.ts";
import { rollDays, rollHours } from "./store.ts";

/** An hour is rolled up this long after its end: by then its last results are stored, and later writes mark it. */
export const settleMs = 120_000;

// They travel in a statement's address.
const marksAtOnce = 500;

/** What is rolled up by the hour. */
export type Rollups = {
  marks: MarkTable;
  hoursAtOnce: number;
  /** Puts figures of these hours (their starts) in place of what was stored for them. */
  roll(client: ClickHouseClient, hours: readonly number[]): Promise<void>;
};

const checkRollups: Rollups = {
  marks: "touched_hours",
  hoursAtOnce: 24,
  roll: async (client, hours) => {
    await rollHours(client, hours);
    await rollDays(client, [...new Set(hours.map(dayOf))]);
  },
};

/**
 * Rolls up every closed hour that was touched since it was last rolled up; answers how many.
 * Harmless to run twice at once or to break off anywhere: marks go last, and only those that were there at the start.
 */
export async function rollClosedHours(
  client: ClickHouseClient,
  nowMs: number,
  { marks: table, hoursAtOnce, roll }: Rollups = checkRollups,
): Promise<number> {
  let rolled = 0;
  for (;;) {
    const found = await selectMarks(client, { untilMs: nowMs - settleMs - hourMs, limit: marksAtOnce }, table);
    if (found.length === 0) return rolled;
    const hours = [...new Set(found.map((mark) => mark.hourMs))].slice(0, hoursAtOnce);
    const marks = found.filter((mark: HourMark) => hours.includes(mark.hourMs));
    await roll(client, hours);
    await deleteMarks(client, marks, table);
    rolled += hours.length;
  }
}
