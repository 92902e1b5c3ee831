import { answerJobs } from "@sonde/kit/offload/thread";
import { cachePatterns } from "./pattern-cache.ts";
import { compileCapture } from "@sonde/kit/patterns/pattern";
import { compileAssertion, readValues } from "./assertions.ts";
import type { Judged, JudgingJob } from "./judging.ts";

const compile = cachePatterns();
const capture = cachePatterns(compileCapture);

/** The rest of a check's assertions, in order, up to the first that does not hold; or values. */
answerJobs<JudgingJob, Judged>((job, progress) => {
  if ("wanted" in job) return readValues(job.wanted, job.text, capture, progress);
  const { assertions, facts } = job;
  for (const [index, assertion] of assertions.entries()) {
    progress(index);
    const fault = compileAssertion(assertion, compile).fault(facts);
    if (fault !== undefined) return fault;
  }
  return undefined;
});
