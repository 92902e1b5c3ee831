import { registrationBodies, reportBodies } from "@sonde/kit/http/agent-bodies";
import { type BodyPool, createBodyPool } from "@sonde/kit/http/body-pool";

/** Bounds the memory of all bodies: of registrations, which need no key, and of reports by a good key. */
export type Bodies = { registrations: BodyPool; reports: BodyPool };

export const createBodies = (): Bodies => ({
  registrations: createBodyPool(registrationBodies),
  reports: createBodyPool(reportBodies),
});
