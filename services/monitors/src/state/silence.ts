import type { StreamMark } from "@sonde/kit/partitions/behaviour";
import { publishIncident } from "@sonde/kit/incidents/store";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import { factsOf } from "../incidents/facts.ts";
import { incidents, stale } from "../incidents/store.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { compactColumns, type MonitorRow, readRow } from "../monitors/rows.ts";
import type { Tracked } from "./tracked.ts";

/**
 * Says once that a monitor missed three slots, and opens an incident, whatever else is open of it. False where that was
 * said, it is another version by now, or another owner has read on and changed it.
 *
 * @param read All of the stream up to there was known when this was decided, so that none of it, read again, ends the
 * silence; null before the first result.
 */
export async function commitStale(
  db: Database,
  monitor: Tracked,
  read: StreamMark | null,
  lastCheckedAtMs: number,
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const wanted = trx("monitors")
      .where({ id: monitor.id, version: monitor.version })
      .whereNull("stale_since_ms")
      .whereNull("deleted_at_ms");
    if (read !== null) wanted.whereRaw("(state_stream <> ? or state_sequence <= ?)", [read.stream, read.mark]);
    const [row] = await wanted
      .update({
        stale_since_ms: Math.round(nowMs),
        ...(read === null ? {} : { state_stream: read.stream, state_sequence: read.mark }),
      })
      .returning<MonitorRow[]>(trx.raw(compactColumns));
    if (row === undefined) return false;
    const found = readRow(row);
    await publishSilence(trx, found, "stale", lastCheckedAtMs, nowMs);
    const cause = `No result came for ${inWords(nowMs - lastCheckedAtMs)}`;
    const incident = await incidents.open(trx, found, stale, cause, nowMs);
    if (incident !== null) {
      await publishIncident(trx, { atMs: nowMs, change: "opened", incident, facts: factsOf(found) });
    }
    return true;
  });
}

/** Says once that a check came again, so that the next silence is told anew, and closes its incident. */
export async function commitFresh(
  db: Database,
  monitor: Tracked,
  checked: { checkedAtMs: number; responseTimeMs: number; statusCode?: number },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [row] = await trx("monitors")
      .where({ id: monitor.id, version: monitor.version })
      .whereNotNull("stale_since_ms")
      .whereNull("deleted_at_ms")
      .update({ stale_since_ms: null })
      .returning<MonitorRow[]>(trx.raw(compactColumns));
    if (row === undefined) return false;
    const found = readRow(row);
    await publishSilence(trx, found, "fresh", checked.checkedAtMs, nowMs);
    for (const incident of await incidents.close(trx, found, stale, "recovered", checked.checkedAtMs)) {
      await publishIncident(trx, { atMs: nowMs, change: "closed", incident, facts: factsOf(found, checked) });
    }
    return true;
  });
}

function publishSilence(
  trx: Database,
  { id, name, version, status, statusSinceMs }: StoredMonitor,
  change: "stale" | "fresh",
  checkedAtMs: number,
  atMs: number,
): Promise<void> {
  const value = { monitorId: id, name, change, status, previousStatus: status, statusSinceMs };
  return enqueueEvent(trx, {
    id: `m${id}:${version}:${checkedAtMs}:${change}`,
    atMs,
    fact: { case: "monitor", value },
  });
}

const minuteMs = 60_000;

/** A length of time as a cause tells it: minutes, of less than two of them seconds. */
function inWords(ms: number): string {
  return ms < 2 * minuteMs ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.round(ms / minuteMs)} min`;
}
