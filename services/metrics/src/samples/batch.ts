import { fromBinary } from "@bufbuild/protobuf";
import { type AgentSample, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import type { Read } from "../ingest/intake.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";
import { faultOf, type SampleRowValues, takenAtMs, toRow } from "./row.ts";

/** A message of SAMPLES as part of a block. */
export type SampleRows = Read & { samples: readonly { agentId: number; hourMs: number; row: SampleRowValues }[] };

/**
 * Reads a message of SAMPLES. Good samples are accepted even if others of the batch are faulty. Those that would soon
 * be deleted (older than raw retention less a day) are refused, and so are those an hour or more ahead.
 */
export function readSamples(bytes: Uint8Array, { nowMs, rawDays }: { nowMs: number; rawDays: number }): SampleRows {
  const refused = { old: 0, future: 0 };
  let found: readonly AgentSample[];
  try {
    found = fromBinary(SampleBatchSchema, bytes).samples;
  } catch {
    return { samples: [], rows: 0, news: false, refused, fault: "not a batch of samples" };
  }
  const oldestMs = nowMs - (rawDays - 1) * dayMs;
  let fault: string | null = null;
  const samples = found.flatMap((one, index) => {
    const wrong = faultOf(one);
    const { agentId, sample } = one;
    if (wrong !== null || sample === undefined) {
      fault ??= `sample ${index}: ${wrong}`;
      return [];
    }
    const atMs = takenAtMs(sample);
    if (atMs < oldestMs) refused.old++;
    else if (atMs > nowMs + hourMs) refused.future++;
    else return [{ agentId, hourMs: hourOf(Math.round(atMs)), row: toRow({ ...one, sample }) }];
    return [];
  });
  // Live figures have another source: users do not wait for a stored sample.
  return { samples, rows: samples.length, news: false, refused, fault };
}
