import { silentLog } from "@sonde/kit/service/log";
import { createAccess } from "@sonde/metrics/clickhouse/access";
import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";
import { dayMs, dayOf, hourMs, hourOf } from "@sonde/metrics/rollups/instants";
import { insertMarks, rollClosedHours } from "@sonde/metrics/rollups/roll";
import { insertDay } from "../metrics/data.ts";

/** Writes days of checks once a minute into the data directory of a Sonde that does not run, with their figures. */
export async function fillHistory(dataDir: string, monitors: number, days: number): Promise<void> {
  const clickhouse = await openClickHouse({ dataDir: engineDir(dataDir) });
  const access = createAccess(clickhouse, { rawDays: 30, rollupDays: 400 }, silentLog);
  await access.prepare();
  const nowMs = Date.now();
  const today = dayOf(nowMs);
  // The first day whole is within what the retention keeps.
  for (let day = today - (days - 1) * dayMs; day <= today; day += dayMs) {
    await access.write((client) => insertDay(client, day, Math.min(day + dayMs, nowMs), monitors));
    const hours: number[] = [];
    for (let hour = day; hour <= Math.min(day + dayMs - hourMs, hourOf(nowMs)); hour += hourMs) hours.push(hour);
    await access.write((client) => insertMarks(client, hours));
    await access.write((client) => rollClosedHours(client, nowMs));
    process.stderr.write(".");
  }
  await clickhouse.close();
  process.stderr.write("\n");
}
