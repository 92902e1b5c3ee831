import { fromBinary } from "@bufbuild/protobuf";
import { SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { readItems } from "../ingest/batch.ts";
import type { Read } from "../ingest/intake.ts";
import { hourOf } from "../rollups/instants.ts";
import { faultOf, type SampleRowValues, takenAtMs, toRow } from "./row.ts";

/** A message of SAMPLES as part of a block. */
export type SampleRows = Read & { samples: readonly { agentId: number; hourMs: number; row: SampleRowValues }[] };

/** Reads a message of SAMPLES. Users do not wait for a stored sample: live figures have another source. */
export function readSamples(bytes: Uint8Array, times: { nowMs: number; rawDays: number }): SampleRows {
  const { rows, refused, fault } = readItems("sample", () => fromBinary(SampleBatchSchema, bytes).samples, times, {
    faultOf,
    atMsOf: ({ sample }) => takenAtMs(sample!),
    rowOf: ({ sample, ...one }) => {
      const hourMs = hourOf(Math.round(takenAtMs(sample!)));
      return { agentId: one.agentId, hourMs, row: toRow({ ...one, sample: sample! }) };
    },
  });
  return { samples: rows, rows: rows.length, news: false, refused, fault };
}
