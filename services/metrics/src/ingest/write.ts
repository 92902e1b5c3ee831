import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { insertChecks } from "../checks/store.ts";
import { createMarker } from "../rollups/marker.ts";
import type { Batch } from "./batch.ts";

export type Writer = {
  /** Rows first, then the marks of their hours; what was written twice counts once. */
  write(client: ClickHouseClient, batches: readonly Pick<Batch, "results">[]): Promise<number>;
  /** Marks are gone: the next row marks its hour again. */
  forget(): void;
};

/** Writes blocks of results, but for those of deleted monitors. */
export function createWriter({
  clock,
  isDeleted,
}: {
  clock: Clock;
  isDeleted: (monitorId: number) => boolean;
}): Writer {
  const marker = createMarker({ clock, table: "touched_hours" });
  return {
    async write(client, batches) {
      const results = batches.flatMap((batch) => batch.results).filter(({ monitorId }) => !isDeleted(monitorId));
      if (results.length === 0) return 0;
      await insertChecks(
        client,
        results.map(({ row }) => row),
      );
      await marker.mark(
        client,
        results.map((result) => result.hourMs),
      );
      return results.length;
    },
    forget: marker.forget,
  };
}
