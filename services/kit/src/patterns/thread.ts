import { answerJobs } from "../offload/thread.ts";
import { compilePattern, type PatternFault } from "./pattern.ts";

/** Regular expressions of one definition; the answer has a fault, or null, for each. */
answerJobs<readonly string[], (PatternFault | null)[]>((sources, progress) =>
  sources.map((source, index) => {
    progress(index);
    const compiled = compilePattern(source);
    return typeof compiled === "function" ? null : compiled;
  }),
);
