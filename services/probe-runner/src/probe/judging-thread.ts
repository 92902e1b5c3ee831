import { answerJobs } from "@sonde/kit/offload/thread";
import { cachePatterns } from "./pattern-cache.ts";
import { compileCapture } from "@sonde/kit/patterns/pattern";
import { compileAssertion, readValues } from "./assertions.ts";
import type { Judged, JudgingJob } from "./judging.ts";

const compile = cachePatterns();
const capture = cachePatterns(compileCapture);

answerJobs<JudgingJob, Judged>((job, progress) => {
  if ("requested" in job) return readValues(job.requested, job.text, capture, progress);
  const { assertions, facts } = job;
  for (const [index, assertion] of assertions.entries()) {
    progress(index);
    const failure = compileAssertion(assertion, compile).failure(facts);
    if (failure !== undefined) return failure;
  }
  return undefined;
});
