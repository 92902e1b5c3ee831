import { answerJobs } from "../offload/thread.ts";
import { compilePattern, type PatternError } from "./pattern.ts";

answerJobs<readonly string[], (PatternError | null)[]>((sources, progress) =>
  sources.map((source, index) => {
    progress(index);
    const compiled = compilePattern(source);
    return typeof compiled === "function" ? null : compiled;
  }),
);
