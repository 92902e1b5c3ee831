import { answerJobs } from "./thread.ts";

export type TestJob =
  | { steps: number; /** Processor time of each. */ stepMs: number }
  | { echo: string }
  | { spin: true }
  | { grow: true }
  | { leave: true }
  | { fail: true };

answerJobs<TestJob, string>((job, progress) => {
  if ("echo" in job) return job.echo;
  if ("steps" in job) {
    for (let step = 0; step < job.steps; step++) {
      progress(step);
      const { user } = process.threadCpuUsage();
      while (process.threadCpuUsage().user - user < job.stepMs * 1000);
    }
    return `${job.steps} steps`;
  }
  if ("fail" in job) throw new Error("no answer");
  if ("leave" in job) process.exit(3);
  progress(7);
  const kept: number[][] = [];
  for (;;) if ("grow" in job) kept.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5));
});
