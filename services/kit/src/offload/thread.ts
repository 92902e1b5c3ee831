import { parentPort } from "node:worker_threads";

/** A thread's messages about its job; instants and costs are its own processor time in milliseconds. */
export type ThreadMessage<Answer> =
  | { kind: "ready" }
  | { kind: "began"; cpuMs: number }
  | { kind: "progress"; at: number; cpuMs: number }
  | { kind: "done"; answer: Answer; costMs: number }
  | { kind: "fault"; message: string };

/** Processor time of this thread, however long others kept it waiting. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * The thread's side of an offload worker: runs one job after the other. `progress` reports how far a job has come, in
 * case it times out. An error that `answer` throws is reported as the thread's own fault.
 */
export function answerJobs<Job, Answer>(
  answer: (job: Job, progress: (at: number) => void) => Answer | Promise<Answer>,
): void {
  if (parentPort === null) throw new Error("this file runs as a worker thread");
  const port = parentPort;
  const say = (said: ThreadMessage<Answer>) => port.postMessage(said);
  const run = async (job: Job) => {
    const beganMs = cpuMs();
    say({ kind: "began", cpuMs: beganMs });
    try {
      const answered = await answer(job, (at) => say({ kind: "progress", at, cpuMs: cpuMs() }));
      say({ kind: "done", answer: answered, costMs: cpuMs() - beganMs });
    } catch (error) {
      say({ kind: "fault", message: String(error) });
    }
  };
  port.on("message", (job: Job) => void run(job));
  say({ kind: "ready" });
}
