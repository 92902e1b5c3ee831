import type { JobLimits } from "./worker.ts";

/** For tests that are not about it: however busy the machine is, no job is given up. */
export const endlessPatience: JobLimits = { maxWaitMs: 3_600_000, maxWallMs: 3_600_000 };
