import { fromBinary } from "@bufbuild/protobuf";
import { checkStatuses } from "@sonde/proto/http/monitors/checks";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { locationOfResults, partitionOf } from "@sonde/proto/subjects";

/** The results of a message of RESULTS. @throws where it holds none */
export const parseResults = (bytes: Uint8Array): CheckResult[] => fromBinary(ResultBatchSchema, bytes).results;

const isInstant = (ms: number) => Number.isFinite(ms) && ms > 0 && ms < Number.MAX_SAFE_INTEGER;

/** Why a result that came on this subject belongs to the dead letters; null where it is good. */
export function faultOf(result: CheckResult, partition: number, subject: string): string | null {
  if (partitionOf(result.monitorId) !== partition) return "another partition's monitor";
  if (result.location !== (locationOfResults(subject) ?? result.location)) return "another location's result";
  if (!checkStatuses.some((status) => status === result.status)) return "an unknown status";
  if (!isInstant(result.slotMs) || !isInstant(result.startedAtMs)) return "an impossible instant";
  if (!Number.isFinite(result.responseTimeMs)) return "an impossible duration";
  if (result.certificateExpiresAtMs !== undefined && !Number.isFinite(result.certificateExpiresAtMs)) {
    return "an impossible certificate";
  }
  return null;
}
