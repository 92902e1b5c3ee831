import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { share } from "@sonde/kit/cache";
import type { RollupReading } from "./history.ts";
import { type FiguresQuery, type ReadFigures, selectRolled } from "./store.ts";

/**
 * Caches data that rarely changes. Which hours are not rolled up is queried once a second: one that is listed although
 * it was rolled up since is computed from its checks, and one that a late result touched is computed again a second
 * later.
 */
export const keepReading = (clock: Clock): RollupReading => {
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
/** What was rolled up again in between, after a late result or a correction, shows after this at the latest. */
const keptMs = 5 * 60_000;

/**
 * Reads figures of days and hours, and caches those of the most recent monitors: a page repeats its query with each
 * check, and of a month only the present hour changes. Hours that are not rolled up are part of the key, so that an
 * hour that is touched, or rolled up, is read again at once. A rejection is not cached.
 */
export function keepFigures(read: ReadFigures, clock: Clock): ReadFigures {
  const figures = share(({ client, query }: { client: ClickHouseClient; query: FiguresQuery }) => read(client, query), {
    keyOf: ({ query }) => JSON.stringify(query),
    freshMs: keptMs,
    clock,
    most: mostKept,
  });
  return (client, query) => figures({ client, query });
}
