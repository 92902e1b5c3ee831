import { create, toBinary } from "@bufbuild/protobuf";
import { EncodedAgentSampleSchema, EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";

/** A sample on its way to SAMPLES; its own bytes are encoded already. */
export type OutgoingSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  /** A `Sample`, its instant corrected. */
  sample: Uint8Array;
  intervalSeconds?: number;
};

/** A batch of one sample; batches in a row are one batch of all their samples. */
export const encodeEntry = (sample: OutgoingSample): Uint8Array =>
  toBinary(
    EncodedSampleBatchSchema,
    create(EncodedSampleBatchSchema, { samples: [create(EncodedAgentSampleSchema, sample)] }),
  );
