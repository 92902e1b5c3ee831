import { answerJobs } from "@sonde/kit/offload/thread";
import { cachePatterns } from "./pattern-cache.ts";
import { compileAssertion } from "./assertions.ts";
import type { JudgingJob } from "./judging.ts";

const compile = cachePatterns();

/** The rest of a check's assertions, in order, up to the first that does not hold. */
answerJobs<JudgingJob, string | undefined>(({ assertions, facts }, progress) => {
  for (const [index, assertion] of assertions.entries()) {
    progress(index);
    const fault = compileAssertion(assertion, compile).fault(facts);
    if (fault !== undefined) return fault;
  }
  return undefined;
});
