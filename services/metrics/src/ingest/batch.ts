import { fromBinary } from "@bufbuild/protobuf";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type EvidenceRow, toEvidenceRow } from "../checks/evidence.ts";
import { rowFault, isUnseen, type CheckRowValues, toRow } from "../checks/row.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";
import type { Read } from "./intake.ts";

/** A message of RESULTS as part of a block. */
export type CheckRowBatch = Pick<Read, "refused" | "fault"> & {
  results: readonly {
    monitorId: number;
    version: number;
    slotMs: number;
    manual: boolean;
    /** It is stored in `unseen`, and in no other table. */
    unseen: boolean;
    hourMs: number;
    row: CheckRowValues;
    evidence?: EvidenceRow | undefined;
  }[];
  /** A failure, or a manual check. */
  striking: boolean;
};

/**
 * Parses a message of RESULTS. Second opinions are for monitors only: history does not store them. With `location`, the
 * one of the subject, results of other locations are faults.
 */
export function readBatch(
  bytes: Uint8Array,
  { location, ...times }: { nowMs: number; rawDays: number; location?: string },
): CheckRowBatch {
  const { items, rows, ...rest } = readItems("result", () => fromBinary(ResultBatchSchema, bytes).results, times, {
    faultOf: (result: CheckResult) =>
      result.location === (location ?? result.location) ? rowFault(result) : "another location's result",
    atMsOf: ({ slotMs }) => slotMs,
    rowOf: (result) => {
      const { monitorId, version, slotMs, manual } = result;
      return {
        monitorId,
        version,
        slotMs,
        manual,
        unseen: isUnseen(result),
        hourMs: hourOf(slotMs),
        row: toRow(result),
        evidence: toEvidenceRow(result),
      };
    },
  });
  return { results: rows, striking: items.some(({ status, manual }) => status === "down" || manual), ...rest };
}

/**
 * Reads the items of a message. Good ones are accepted even if others are faulty. Those that would soon be deleted (older
 * than raw retention less a day) are refused, and so are those of a clock that runs an hour ahead.
 */
export function readItems<Item, Row>(
  noun: string,
  decode: () => readonly Item[],
  { nowMs, rawDays }: { nowMs: number; rawDays: number },
  {
    faultOf: wrongOf,
    atMsOf,
    rowOf,
  }: { faultOf: (item: Item) => string | null; atMsOf: (item: Item) => number; rowOf: (item: Item) => Row },
): Pick<Read, "refused" | "fault"> & { items: readonly Item[]; rows: Row[] } {
  const refused = { old: 0, future: 0 };
  let items: readonly Item[];
  try {
    items = decode();
  } catch {
    return { items: [], rows: [], refused, fault: `not a batch of ${noun}s` };
  }
  const oldestMs = nowMs - (rawDays - 1) * dayMs;
  let fault: string | null = null;
  const rows = items.flatMap((item, index) => {
    const wrong = wrongOf(item);
    if (wrong !== null) fault ??= `${noun} ${index}: ${wrong}`;
    else if (atMsOf(item) < oldestMs) refused.old++;
    else if (atMsOf(item) > nowMs + hourMs) refused.future++;
    else return [rowOf(item)];
    return [];
  });
  return { items, rows, refused, fault };
}
