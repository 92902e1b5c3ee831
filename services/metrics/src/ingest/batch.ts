import { fromBinary } from "@bufbuild/protobuf";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { faultOf, type CheckRowValues, toRow } from "../checks/row.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";

/** A message of RESULTS as part of a block. */
export type CheckRowBatch = {
  results: readonly {
    monitorId: number;
    version: number;
    slotMs: number;
    manual: boolean;
    hourMs: number;
    row: CheckRowValues;
  }[];
  /** A failure, or a manual check. */
  striking: boolean;
  /** Rows that were left out, by reason. */
  refused: { old: number; future: number };
  /** Why the message, or a part of it, belongs to the dead letters. */
  fault: string | null;
};

/**
 * Reads a message of RESULTS. Good results are accepted even if others of the batch are faulty. Slots that would soon
 * be deleted (older than raw retention less a day) are refused, and so are those of a runner whose clock runs ahead.
 * With `location`, of the message's subject, all must be of that one.
 */
export function readBatch(
  bytes: Uint8Array,
  { nowMs, rawDays, location }: { nowMs: number; rawDays: number; location?: string },
): CheckRowBatch {
  let found: readonly CheckResult[];
  try {
    found = fromBinary(ResultBatchSchema, bytes).results;
  } catch {
    return { results: [], striking: false, refused: { old: 0, future: 0 }, fault: "not a batch of results" };
  }
  const oldestMs = nowMs - (rawDays - 1) * dayMs;
  const refused = { old: 0, future: 0 };
  let fault: string | null = null;
  const results = found.flatMap((result, index) => {
    const isElsewhere = result.location !== (location ?? result.location);
    const wrong = isElsewhere ? "another location's result" : faultOf(result);
    if (wrong !== null) fault ??= `result ${index}: ${wrong}`;
    else if (result.slotMs < oldestMs) refused.old++;
    else if (result.slotMs > nowMs + hourMs) refused.future++;
    else {
      const { monitorId, version, slotMs, manual } = result;
      return [{ monitorId, version, slotMs, manual, hourMs: hourOf(slotMs), row: toRow(result) }];
    }
    return [];
  });
  const striking = found.some(({ status, manual }) => status === "down" || manual);
  return { results, striking, refused, fault };
}
