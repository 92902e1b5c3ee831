import { fromBinary } from "@bufbuild/protobuf";
import { type CheckResult, type Path, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type EvidenceRow, toEvidenceRow } from "../checks/evidence.ts";
import { type PathRow, toPathRow } from "../checks/paths.ts";
import { rowProblem, isUnseen, type CheckRowValues, toRow } from "../checks/row.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";
import type { Read } from "./intake.ts";

export type CheckRowBatch = Pick<Read, "refused" | "problem" | "isEarly"> & {
  results: readonly {
    monitorId: number;
    version: number;
    slotMs: number;
    manual: boolean;
    /** Stored only in the table `unseen`. */
    unseen: boolean;
    hourMs: number;
    row: CheckRowValues;
    evidence?: EvidenceRow | undefined;
  }[];
  paths?: readonly PathRow[];
  /** Contains a failure or a manual check. */
  striking: boolean;
};

type ReadOptions = {
  nowMs: number;
  rawDays: number;
  /** Location of the subject; results of others are invalid. */
  location?: string;
  /** False if a monitor was never checked there, so that a runner cannot add to the history of others. */
  isCheckedAt?: (monitorId: number, location: string) => boolean;
};

/** Skips second opinions. */
export function readBatch(
  bytes: Uint8Array,
  { location, isCheckedAt = () => true, ...times }: ReadOptions,
): CheckRowBatch {
  let isEarly = false;
  const problemOf = (result: CheckResult) => {
    if (result.location !== (location ?? result.location)) return "another location's result";
    if (isCheckedAt(result.monitorId, result.location)) return rowProblem(result);
    isEarly = true;
    return "another location's monitor";
  };
  let paths: readonly Path[] = [];
  const decode = () => {
    const batch = fromBinary(ResultBatchSchema, bytes);
    paths = batch.paths;
    return batch.results;
  };
  const { items, rows, ...rest } = readItems("result", decode, times, {
    problemOf,
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
  const isOwn = ({ monitorId, location: name, slotMs }: Path) =>
    name === (location ?? name) && isCheckedAt(monitorId, name) && Math.abs(slotMs - times.nowMs) < dayMs;
  return {
    isEarly,
    results: rows,
    paths: paths
      .filter(isOwn)
      .map(toPathRow)
      .filter((row) => row !== undefined),
    striking: items.some(({ status, manual }) => status === "down" || manual),
    ...rest,
  };
}

/** Refuses items older than raw retention minus a day, or over an hour in the future. */
export function readItems<Item, Row>(
  noun: string,
  decode: () => readonly Item[],
  { nowMs, rawDays }: { nowMs: number; rawDays: number },
  {
    problemOf: wrongOf,
    atMsOf,
    rowOf,
  }: { problemOf: (item: Item) => string | null; atMsOf: (item: Item) => number; rowOf: (item: Item) => Row },
): Pick<Read, "refused" | "problem"> & { items: readonly Item[]; rows: Row[] } {
  const refused = { old: 0, future: 0 };
  let items: readonly Item[];
  try {
    items = decode();
  } catch {
    return { items: [], rows: [], refused, problem: `not a batch of ${noun}s` };
  }
  const oldestMs = nowMs - (rawDays - 1) * dayMs;
  let problem: string | null = null;
  const rows = items.flatMap((item, index) => {
    const wrong = wrongOf(item);
    if (wrong !== null) problem ??= `${noun} ${index}: ${wrong}`;
    else if (atMsOf(item) < oldestMs) refused.old++;
    else if (atMsOf(item) > nowMs + hourMs) refused.future++;
    else return [rowOf(item)];
    return [];
  });
  return { items, rows, refused, problem };
}
