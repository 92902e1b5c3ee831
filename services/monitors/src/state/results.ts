import { fromBinary } from "@bufbuild/protobuf";
import { checkStatuses } from "@sonde/proto/http/checks";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf } from "@sonde/proto/subjects";

/** The results of a message, and why the message, or a part of it, belongs to the dead letters. */
export type Read = { results: CheckResult[]; fault: string | null };

/** Reads a message of RESULTS. Good results are taken even where others of the batch are faulty. */
export function readResults(bytes: Uint8Array, partition: number): Read {
  let found: CheckResult[];
  try {
    found = fromBinary(ResultBatchSchema, bytes).results;
  } catch {
    return { results: [], fault: "not a batch of results" };
  }
  let fault: string | null = null;
  const results = found.filter((result, index) => {
    const wrong = faultOf(result, partition);
    if (wrong !== null) fault ??= `result ${index}: ${wrong}`;
    return wrong === null;
  });
  return { results, fault };
}

const isInstant = (ms: number) => Number.isFinite(ms) && ms > 0 && ms < Number.MAX_SAFE_INTEGER;

function faultOf(result: CheckResult, partition: number): string | null {
  if (partitionOf(result.monitorId) !== partition) return "another partition's monitor";
  if (!checkStatuses.some((status) => status === result.status)) return "an unknown status";
  if (!isInstant(result.slotMs) || !isInstant(result.startedAtMs)) return "an impossible instant";
  if (!Number.isFinite(result.responseTimeMs)) return "an impossible duration";
  if (result.certificateExpiresAtMs !== undefined && !Number.isFinite(result.certificateExpiresAtMs)) {
    return "an impossible certificate";
  }
  return null;
}
