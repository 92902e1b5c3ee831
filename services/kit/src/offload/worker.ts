import { setImmediate as pendingMessages } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createLimiter } from "../concurrency/limiter.ts";
import { counter } from "../telemetry/metrics.ts";
import type { ThreadMessage } from "./thread.ts";

export type JobLimits = Pick<WorkerOptions, "maxWaitMs" | "maxWallMs">;

/** `late`: the job exceeded its budget. `none`: no result, for another reason. */
type JobResult<Answer> =
  | { status: "done"; answer: Answer; costMs: number }
  | { status: "late"; /** How far it had come. */ progress: number }
  | { status: "none"; trouble: string };

export type OffloadWorker<Job, Answer> = {
  /** Never rejects, and resolves within bounded time. @param characters memory that the job takes while it is queued */
  run(job: Job, expected: { characters: number }): Promise<JobResult<Answer>>;
  isRunning(): boolean;
  stop(): void;
};

export type WorkerOptions = {
  /** Must call `answerJobs`. */
  thread: URL;
  name: string;
  /** Processor time per job. Wall-clock time would penalise jobs on a busy machine. */
  budgetMs: number;
  /** Between two `progress` reports; defaults to `budgetMs`. */
  stepBudgetMs?: number;
  maxWaiting?: number;
  maxCharacters?: number;
  maxWaitMs?: number;
  /** Limit for jobs that use little processor time, because other programs keep the processor busy. */
  maxWallMs?: number;
  maxStartMs?: number;
  idleMs?: number;
};

type Underway<Job, Answer> = {
  job: Job;
  resolve: (done: JobResult<Answer>) => void;
  startedMs?: number;
  /** The thread's CPU time when the job started, and at its last progress report. */
  beganCpuMs?: number;
  stepCpuMs?: number;
  progress: number;
};

const replaced = counter("sonde_offload_replaced_total", "Worker threads that were terminated while running a job", [
  "name",
  "reason",
]);
const wallBudgets = 20;
const minCheckMs = 20;
const none = (trouble: string) => ({ status: "none", trouble }) as const;
const busy = none("the worker thread is busy");
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** The thread starts with the first job and ends when idle. A job over its time or memory budget ends the thread. */
export function createWorker<Job, Answer>(options: WorkerOptions): OffloadWorker<Job, Answer> {
  const { thread, name, budgetMs, maxWaiting = 500, maxWaitMs = 5_000, idleMs = 60_000 } = options;
  const { maxCharacters = 32 * 1024 * 1024, stepBudgetMs = budgetMs, maxStartMs = 30_000 } = options;
  const { maxWallMs = wallBudgets * stepBudgetMs } = options;
  const oneAtATime = createLimiter<null>({ total: 1, waiting: maxWaiting });
  let stopped = false;
  let characters = 0;
  let worker: Worker | undefined;
  let isReady = false;
  let underway: Underway<Job, Answer> | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let starting: NodeJS.Timeout | undefined;

  async function run(job: Job, expected: { characters: number }): Promise<JobResult<Answer>> {
    if (characters + expected.characters > maxCharacters) return busy;
    characters += expected.characters;
    const waited = new AbortController();
    const patience = setTimeout(() => waited.abort(), maxWaitMs).unref();
    const turn = () => new Promise<JobResult<Answer>>((resolve) => begin({ job, resolve, progress: 0 }, waited.signal));
    return oneAtATime
      .run(null, turn, waited.signal)
      .catch(() => busy)
      .finally(() => {
        clearTimeout(patience);
        characters -= expected.characters;
      });
  }

  function begin(own: Underway<Job, Answer>, waited: AbortSignal) {
    if (stopped) return own.resolve(none("stopping"));
    clearTimeout(idle);
    underway = own;
    waited.addEventListener("abort", () => own === underway && own.startedMs === undefined && settle(busy));
    try {
      worker ??= start();
      if (isReady) send(worker, own);
    } catch (error) {
      // No thread is available, or the job cannot be cloned.
      end(none(String(error)));
    }
  }

  function start(): Worker {
    const started = new Worker(thread, { resourceLimits });
    started.unref();
    started.on("message", (message: ThreadMessage<Answer>) => started === worker && receive(started, message));
    started.on("error", (error: Error & { code?: string }) => {
      if (started !== worker) return;
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY" && underway !== undefined;
      end(isTooLarge ? { status: "late", progress: underway?.progress ?? 0 } : none(String(error)));
    });
    started.on("exit", () => started === worker && end(none("the worker thread ended")));
    starting = setTimeout(() => end(none("the worker thread did not start in time")), maxStartMs).unref();
    return started;
  }

  function receive(from: Worker, message: ThreadMessage<Answer>) {
    if (message.kind === "ready") {
      isReady = true;
      clearTimeout(starting);
      if (underway !== undefined) send(from, underway);
    } else if (underway === undefined) return;
    else if (message.kind === "began") underway.beganCpuMs = underway.stepCpuMs = message.cpuMs;
    else if (message.kind === "progress") {
      underway.progress = message.at;
      underway.stepCpuMs = message.cpuMs;
    } else if (message.kind === "done") settle({ status: "done", answer: message.answer, costMs: message.costMs });
    else settle(none(message.message));
  }

  function send(to: Worker, own: Underway<Job, Answer>) {
    own.startedMs = performance.now();
    to.postMessage(own.job);
    watch(own, own.startedMs, stepBudgetMs);
  }

  function watch(own: Underway<Job, Answer>, startedMs: number, afterMs: number) {
    deadline = setTimeout(() => {
      look(own, startedMs).catch(() => {
        // The `exit` handler reports it.
      });
    }, afterMs).unref();
  }

  async function look(own: Underway<Job, Answer>, startedMs: number) {
    const usage = await worker?.cpuUsage();
    // Process progress messages that were sent before this reading.
    await pendingMessages();
    if (own !== underway || usage === undefined) return;
    const cpuMs = (usage.user + usage.system) / 1000;
    const { beganCpuMs = cpuMs, stepCpuMs = cpuMs } = own;
    const leftMs = Math.min(budgetMs - (cpuMs - beganCpuMs), stepBudgetMs - (cpuMs - stepCpuMs));
    if (leftMs <= 0) return end({ status: "late", progress: own.progress });
    if (performance.now() - startedMs > maxWallMs) return end(none("the machine is busy"));
    watch(own, startedMs, Math.max(minCheckMs, leftMs));
  }

  function settle(done: JobResult<Answer>) {
    clearTimeout(deadline);
    idle = setTimeout(release, idleMs).unref();
    underway?.resolve(done);
    underway = undefined;
  }

  function end(done: JobResult<Answer>) {
    replaced.inc({ name, reason: done.status });
    release();
    underway?.resolve(done);
    underway = undefined;
  }

  function release() {
    for (const timer of [deadline, idle, starting]) clearTimeout(timer);
    const ended = worker;
    worker = undefined;
    isReady = false;
    void ended?.terminate();
  }

  return {
    run,
    isRunning: () => worker !== undefined,
    stop() {
      stopped = true;
      release();
      underway?.resolve(none("stopping"));
      underway = undefined;
    },
  };
}
