import { registrationBodies, reportBodies } from "@sonde/kit/http/agent-bodies";
import { type BodyPool, createBodyPool } from "@sonde/kit/http/body-pool";

/** What bodies of registrations, which anybody may send, and of reports by a good key cost together at most. */
export type Bodies = { registrations: BodyPool; reports: BodyPool };

export const createBodies = (): Bodies => ({
  registrations: createBodyPool(registrationBodies),
  reports: createBodyPool(reportBodies),
});
