import { createJobs } from "../status/jobs.ts";
import { type Maker, makerOver } from "../status/maker.ts";

/** A maker on the caller's thread. */
export function createDirectMaker(): Maker {
  const answer = createJobs();
  return { ...makerOver(async (job) => ({ status: "done", answer: await answer(job), costMs: 0 })), stop: () => {} };
}
