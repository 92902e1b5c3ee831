import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { inMaintenance } from "../checks/row.ts";
import { insertChecks } from "../checks/list.ts";
import { createMarker } from "../rollups/marker.ts";
import type { CheckRowBatch } from "./batch.ts";

export type Writer = {
  /** Rows first, then the marks of their hours; what was written twice counts once. */
  write(client: ClickHouseClient, batches: readonly Pick<CheckRowBatch, "results">[]): Promise<number>;
  /** Marks were deleted: the next row marks its hour again. */
  forget(): void;
};

export type WriterOptions = {
  clock: Clock;
  isDeleted: (monitorId: number) => boolean;
  /** Whether a monitor is in maintenance at an instant. */
  isInMaintenance?: (monitorId: number, atMs: number) => boolean;
};

/**
 * Writes blocks of results, except those of deleted monitors. A scheduled check whose slot is in maintenance is marked,
 * however late it arrives. The mark follows the windows known when the row is written; `correctMarks` corrects it if
 * they arrive or change later.
 */
export function createWriter({ clock, isDeleted, isInMaintenance = () => false }: WriterOptions): Writer {
  const marker = createMarker({ clock, table: "touched_hours" });
  return {
    async write(client, batches) {
      const results = batches.flatMap((batch) => batch.results).filter(({ monitorId }) => !isDeleted(monitorId));
      if (results.length === 0) return 0;
      await insertChecks(
        client,
        results.map(({ monitorId, slotMs, manual, row }) =>
          !manual && isInMaintenance(monitorId, slotMs) ? inMaintenance(row) : row,
        ),
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
