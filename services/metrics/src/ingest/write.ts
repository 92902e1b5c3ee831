import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { insertEvidence, withoutBody } from "../checks/evidence.ts";
import { insertChecks } from "../checks/insert.ts";
import { insertPaths } from "../checks/paths.ts";
import { inMaintenance } from "../checks/row.ts";
import { hourMs } from "../rollups/instants.ts";
import { insertMarks, type MarkTable, settleMs } from "../rollups/roll.ts";
import { insertUnseen } from "../timelines/unseen.ts";
import type { CheckRowBatch } from "./batch.ts";

type Batched = Pick<CheckRowBatch, "results" | "paths">;

export type Writer<Batch = Batched> = {
  /** Writes rows, then the marks of their hours; duplicates are merged. Returns the number of stored rows. */
  write(client: ClickHouseClient, batches: readonly Batch[]): Promise<number>;
  /** Call after marks were deleted: the next row marks its hour again. */
  forget(): void;
};

export type WriterOptions = {
  clock: Clock;
  isDeleted: (monitorId: number) => boolean;
  keepsBody?: (monitorId: number) => boolean;
  isInMaintenance?: (monitorId: number, atMs: number) => boolean;
};

/**
 * Writes results, evidence and paths, except for deleted monitors. Marks checks by slot with the maintenance windows known at
 * that time; `correctMarks` fixes the marks if windows arrive or change later.
 */
export function createWriter(options: WriterOptions): Writer {
  const { clock, isDeleted, keepsBody = () => true, isInMaintenance = () => false } = options;
  const notDeleted = ({ results }: Pick<CheckRowBatch, "results">) =>
    results.filter(({ monitorId }) => !isDeleted(monitorId));
  const rows = writeRows({
    clock,
    marks: "touched_hours",
    insert: insertChecks,
    rowsOf: (batch: Pick<CheckRowBatch, "results">) =>
      notDeleted(batch)
        .filter(({ unseen }) => !unseen)
        .map(({ monitorId, slotMs, manual, row, hourMs: hour }) => ({
          hourMs: hour,
          row: !manual && isInMaintenance(monitorId, slotMs) ? inMaintenance(row) : row,
        })),
  });
  return {
    ...rows,
    async write(client, batches) {
      const evidence = batches.flatMap(notDeleted).flatMap(({ monitorId, evidence: row }) => {
        if (row === undefined) return [];
        return [keepsBody(monitorId) ? row : withoutBody(row)];
      });
      if (evidence.length > 0) await insertEvidence(client, evidence);
      const paths = batches.flatMap((batch) => batch.paths ?? []).filter(([monitorId]) => !isDeleted(monitorId));
      if (paths.length > 0) await insertPaths(client, paths);
      const unseen = batches.flatMap(notDeleted).filter((result) => result.unseen);
      if (unseen.length > 0) await insertUnseen(client, unseen);
      return rows.write(client, batches);
    },
  };
}

/**
 * Writes rows and marks the hours that they touch. An hour that is open, or closed less than a minute ago, is marked
 * only once: its mark remains until it is rolled up. Later rows mark their hour each time.
 */
export function writeRows<Batch, Row>({
  clock,
  marks,
  insert,
  rowsOf,
}: {
  clock: Clock;
  marks: MarkTable;
  insert: (client: ClickHouseClient, rows: Row[]) => Promise<void>;
  rowsOf: (batch: Batch) => { hourMs: number; row: Row }[];
}): Writer<Batch> {
  const marked = new Set<number>();
  return {
    async write(client, batches) {
      const rows = batches.flatMap(rowsOf);
      if (rows.length === 0) return 0;
      await insert(
        client,
        rows.map(({ row }) => row),
      );
      const freshMs = clock.now() - settleMs / 2;
      const isFresh = (hour: number) => hour + hourMs > freshMs;
      const hours = [...new Set(rows.map((row) => row.hourMs))];
      const unmarked = hours.filter((hour) => !(isFresh(hour) && marked.has(hour)));
      if (unmarked.length > 0) await insertMarks(client, unmarked, marks);
      for (const hour of marked) if (!isFresh(hour)) marked.delete(hour);
      for (const hour of unmarked) if (isFresh(hour)) marked.add(hour);
      return rows.length;
    },
    forget: () => marked.clear(),
  };
}
