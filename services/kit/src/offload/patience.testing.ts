import type { JobLimits } from "./worker.ts";

/** For tests where a busy machine must not time out jobs. */
export const endlessPatience: JobLimits = { maxWaitMs: 3_600_000, maxWallMs: 3_600_000 };
