import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { hourMs } from "./instants.ts";
import { insertMarks, type MarkTable, settleMs } from "./roll.ts";

export type Marker = {
  /** Marks the hours (their starts) of rows that were just written. */
  mark(client: ClickHouseClient, hours: Iterable<number>): Promise<void>;
  /** These hours' marks were deleted: the next row marks them again. */
  forget(): void;
};

/**
 * Marks hours that writes touch. The mark of an hour that is still open, or closed less than a minute ago, remains
 * until it is rolled up a minute later, so it is written once; a late row marks its hour again each time.
 */
export function createMarker({ clock, table }: { clock: Clock; table: MarkTable }): Marker {
  const marked = new Set<number>();
  return {
    async mark(client, hours) {
      const freshMs = clock.now() - settleMs / 2;
      const isFresh = (hour: number) => hour + hourMs > freshMs;
      const unmarked = [...new Set(hours)].filter((hour) => !(isFresh(hour) && marked.has(hour)));
      if (unmarked.length > 0) await insertMarks(client, unmarked, table);
      for (const hour of marked) if (!isFresh(hour)) marked.delete(hour);
      for (const hour of unmarked) if (isFresh(hour)) marked.add(hour);
    },
    forget: () => marked.clear(),
  };
}
