import { type BodyPool, createBodyPool } from "@sonde/kit/body-pool";

/** What bodies of registrations, which anybody may send, and of reports by a good key cost together at most. */
export type Bodies = { registrations: BodyPool; reports: BodyPool };

const service = "agent-ingest";

export function createBodies(): Bodies {
  return {
    registrations: createBodyPool({
      service,
      maxBodies: 512,
      maxBytes: 16 * 2 ** 20,
      maxUnfinished: 64,
      maxUnfinishedOfOwner: 16,
    }),
    reports: createBodyPool({
      service,
      maxBodies: 4_096,
      maxBytes: 128 * 2 ** 20,
      maxUnfinished: 1_024,
      maxUnfinishedOfOwner: 256,
    }),
  };
}
