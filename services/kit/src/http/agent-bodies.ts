import type { BodyPoolLimits } from "./body-pool.ts";
import type { BodyLimits } from "./request-body.ts";

/**
 * What bodies on agents' routes cost together at most. The gateway and agent-ingest keep the same bounds: each may be
 * what a network reaches first.
 */
const service = "agent-ingest";

/** One registration and one report; a report also once it is inflated. */
export const registrationBody = { maxBytes: 64 * 1024, deadlineMs: 10_000, late: "unavailable" } satisfies BodyLimits;
export const reportBody = { maxBytes: 4 * 2 ** 20, deadlineMs: 20_000, late: "unavailable" } satisfies BodyLimits;

/** Registrations, which need no key. Their owner is an address, which a whole fleet may share. */
export const registrationBodies: BodyPoolLimits = {
  service,
  maxBodies: 512,
  maxBytes: 16 * 2 ** 20,
  maxUnfinished: 64,
  maxUnfinishedOfOwner: 16,
  maxBodiesOfOwner: 256,
  maxBytesOfOwner: 8 * 2 ** 20,
};

/** Reports by good keys, each its own owner. An agent sends one report at a time, of 4 MiB at most. */
export const reportBodies: BodyPoolLimits = {
  service,
  maxBodies: 4_096,
  maxBytes: 128 * 2 ** 20,
  maxUnfinished: 2_048,
  maxUnfinishedOfOwner: 16,
  maxBodiesOfOwner: 16,
  maxBytesOfOwner: 16 * 2 ** 20,
};

/** Reports with unknown keys. Their owner is an address, which a whole fleet may share. */
export const unknownReportBodies: BodyPoolLimits = {
  service,
  maxBodies: 1_024,
  maxBytes: 32 * 2 ** 20,
  maxUnfinished: 256,
  maxUnfinishedOfOwner: 128,
  maxBodiesOfOwner: 512,
  maxBytesOfOwner: 16 * 2 ** 20,
};
