import type { BodyPoolLimits } from "./body-pool.ts";
import type { BodyLimits } from "./request-body.ts";

/** Combined limits, applied by the gateway and by agent-ingest, since either may be exposed first. */
const service = "agent-ingest";

/** The limit of a report also applies to its inflated size. */
export const registrationBody = { maxBytes: 64 * 1024, deadlineMs: 10_000, late: "unavailable" } satisfies BodyLimits;
export const reportBody = { maxBytes: 4 * 2 ** 20, deadlineMs: 20_000, late: "unavailable" } satisfies BodyLimits;

/** Registrations need no key, so their owner is an address, which a fleet may share. */
export const registrationBodies: BodyPoolLimits = {
  service,
  maxBodies: 512,
  maxBytes: 16 * 2 ** 20,
  maxUnfinished: 64,
  maxUnfinishedOfOwner: 16,
  maxBodiesOfOwner: 256,
  maxBytesOfOwner: 8 * 2 ** 20,
};

/** The owner is a valid key. An agent sends one report at a time. */
export const reportBodies: BodyPoolLimits = {
  service,
  maxBodies: 4_096,
  maxBytes: 128 * 2 ** 20,
  maxUnfinished: 2_048,
  maxUnfinishedOfOwner: 16,
  maxBodiesOfOwner: 16,
  maxBytesOfOwner: 16 * 2 ** 20,
};

/** Unknown keys, so the owner is an address, which a fleet may share. */
export const unknownReportBodies: BodyPoolLimits = {
  service,
  maxBodies: 1_024,
  maxBytes: 32 * 2 ** 20,
  maxUnfinished: 256,
  maxUnfinishedOfOwner: 128,
  maxBodiesOfOwner: 512,
  maxBytesOfOwner: 16 * 2 ** 20,
};
