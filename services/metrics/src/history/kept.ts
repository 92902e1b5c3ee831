import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import type { Figures } from "../rollups/merge.ts";
import { hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { share } from "../shared.ts";
import type { Reading } from "./history.ts";
import { type FiguresQuery, type ReadFigures, selectRolled } from "./store.ts";

/**
 * Reading that keeps what rarely changes. Which hours are not rolled up is asked once a second: one that is named although
 * it was rolled up since is told from its checks, and one that a late result touched is told anew a second later.
 */
export const keepReading = (clock: Clock): Reading => {
  const touched = share(
    ({ client, fromMs }: { client: ClickHouseClient; fromMs: number }) => selectTouchedHours(client, fromMs),
    { keyOf: ({ fromMs }) => String(hourOf(fromMs)), freshMs: 1_000, clock },
  );
  return {
    rolled: keepFigures(selectRolled, clock),
    touchedHours: (client, fromMs) => touched({ client, fromMs }),
  };
};

/** Each may hold some 700 hours, half a megabyte. */
const mostKept = 20;
/** What was rolled up anew in between, after a late result or a correction, is told after this at the latest. */
const keptMs = 5 * 60_000;

/**
 * Reads figures of days and hours, and keeps those of the monitors that were asked for last: a page asks again with each
 * check, and of a month only the present hour changes. Hours that are not rolled up are part of the question, so that an
 * hour that is touched, or rolled up, is read anew at once. A rejection is not kept.
 */
export function keepFigures(read: ReadFigures, clock: Clock): ReadFigures {
  const kept = new Map<string, { readAt: number; figures: Promise<Figures[]> }>();
  return (client: ClickHouseClient, query: FiguresQuery) => {
    const key = JSON.stringify(query);
    const known = kept.get(key);
    kept.delete(key);
    const isFresh = known !== undefined && clock.elapsedMs() - known.readAt < keptMs;
    const entry = isFresh ? known : { readAt: clock.elapsedMs(), figures: read(client, query) };
    kept.set(key, entry);
    entry.figures.catch(() => kept.get(key) === entry && kept.delete(key));
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    return entry.figures;
  };
}
