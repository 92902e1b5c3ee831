import { answerJobs } from "@sonde/kit/offload/thread";
import { cachePatterns } from "./pattern-cache.ts";
import { compileAssertion, readTexts } from "./assertions.ts";
import type { Judged, JudgingJob } from "./judging.ts";

const compile = cachePatterns();

/** The rest of a check's assertions, in order, up to the first that does not hold; or the values at paths. */
answerJobs<JudgingJob, Judged>((job, progress) => {
  if ("paths" in job) return readTexts(job.paths, job.text);
  const { assertions, facts } = job;
  for (const [index, assertion] of assertions.entries()) {
    progress(index);
    const fault = compileAssertion(assertion, compile).fault(facts);
    if (fault !== undefined) return fault;
  }
  return undefined;
});
