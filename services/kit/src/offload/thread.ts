import { parentPort } from "node:worker_threads";

/** Times are processor time of the thread, in milliseconds. */
export type ThreadMessage<Answer> =
  | { kind: "ready" }
  | { kind: "began"; cpuMs: number }
  | { kind: "progress"; at: number; cpuMs: number }
  | { kind: "done"; answer: Answer; costMs: number }
  | { kind: "fault"; message: string };

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs jobs sequentially. `progress` reports the position in a job, in case it times out. */
export function answerJobs<Job, Answer>(
  answer: (job: Job, progress: (at: number) => void) => Answer | Promise<Answer>,
): void {
  if (parentPort === null) throw new Error("this file must run as a worker thread");
  const port = parentPort;
  const send = (message: ThreadMessage<Answer>) => port.postMessage(message);
  const run = async (job: Job) => {
    const beganMs = cpuMs();
    send({ kind: "began", cpuMs: beganMs });
    try {
      const answered = await answer(job, (at) => send({ kind: "progress", at, cpuMs: cpuMs() }));
      send({ kind: "done", answer: answered, costMs: cpuMs() - beganMs });
    } catch (error) {
      send({ kind: "fault", message: String(error) });
    }
  };
  port.on("message", (job: Job) => void run(job));
  send({ kind: "ready" });
}
