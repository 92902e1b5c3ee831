import { setImmediate as messagesHeard } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createLimiter } from "../concurrency/limiter.ts";
import { counter } from "../telemetry/metrics.ts";
import type { ThreadMessage } from "./thread.ts";

/** How long a job may take on the wall clock. */
export type JobLimits = Pick<WorkerOptions, "maxWaitMs" | "maxWallMs">;

/** The result of a job. `late`: it exceeded its budget; `none`: no result, by a fault of ours. */
type JobResult<Answer> =
  | { status: "done"; answer: Answer; costMs: number }
  | { status: "late"; /** How far it had come. */ progress: number }
  | { status: "none"; trouble: string };

export type OffloadWorker<Job, Answer> = {
  /**
   * Never rejects, and is answered in bounded time.
   * @param characters how much it takes to hold the job while it waits
   */
  run(job: Job, expected: { characters: number }): Promise<JobResult<Answer>>;
  /** Whether the thread is there. */
  isRunning(): boolean;
  stop(): void;
};

export type WorkerOptions = {
  /** The module of the thread; it calls `answerJobs`. */
  thread: URL;
  /** For metrics. */
  name: string;
  /** Processor time that one job may use. Wall time would blame a job for a busy machine. */
  budgetMs: number;
  /** The same from one `progress` of the job to the next; as much as the whole job unless it is given. */
  stepBudgetMs?: number;
  /** More jobs than this are rejected. */
  maxWaiting?: number;
  /** The same for the characters of all jobs. */
  maxCharacters?: number;
  /** A job that waited longer than this is given up. */
  maxWaitMs?: number;
  /**
   * A job is abandoned after this wall-clock time, even with little processor time used: other programs kept the
   * processor busy, so it is not the job's fault. Default: twenty times its step's budget.
   */
  maxWallMs?: number;
  /** A thread that is not ready for jobs after this time is ended. */
  maxStartMs?: number;
  /** A thread without work ends after this time. */
  idleMs?: number;
};

type Underway<Job, Answer> = {
  job: Job;
  resolve: (done: JobResult<Answer>) => void;
  /** When the thread was given the job. */
  startedMs?: number;
  /** Processor time of the thread when it started the job, and when it last reported progress. */
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

/**
 * Runs jobs one after the other in a worker thread that starts with the first job and ends when it has been idle. A
 * thread whose job exceeds its budget of time or memory is terminated; the next job gets a new one.
 */
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
    // The thread may still be starting.
    waited.addEventListener("abort", () => own === underway && own.startedMs === undefined && settle(busy));
    try {
      worker ??= start();
      if (isReady) hand(worker, own);
    } catch (error) {
      // The system has no thread for us, or the job cannot be sent to one.
      end(none(String(error)));
    }
  }

  function start(): Worker {
    const started = new Worker(thread, { resourceLimits });
    started.unref();
    started.on("message", (message: ThreadMessage<Answer>) => started === worker && receive(started, message));
    started.on("error", (error: Error & { code?: string }) => {
      if (started !== worker) return;
      // What takes more memory than a thread may have takes too much time as well.
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
      if (underway !== undefined) hand(from, underway);
    } else if (underway === undefined) return;
    else if (message.kind === "began") underway.beganCpuMs = underway.stepCpuMs = message.cpuMs;
    else if (message.kind === "progress") {
      underway.progress = message.at;
      underway.stepCpuMs = message.cpuMs;
    } else if (message.kind === "done") settle({ status: "done", answer: message.answer, costMs: message.costMs });
    else settle(none(message.message));
  }

  function hand(to: Worker, own: Underway<Job, Answer>) {
    own.startedMs = performance.now();
    to.postMessage(own.job);
    watch(own, own.startedMs, stepBudgetMs);
  }

  function watch(own: Underway<Job, Answer>, startedMs: number, afterMs: number) {
    deadline = setTimeout(() => {
      look(own, startedMs).catch(() => {
        // It exited meanwhile: the `exit` handler reports that.
      });
    }, afterMs).unref();
  }

  async function look(own: Underway<Job, Answer>, startedMs: number) {
    const usage = await worker?.cpuUsage();
    // The thread may have reported progress before the request.
    await messagesHeard();
    if (own !== underway || usage === undefined) return;
    const cpuMs = (usage.user + usage.system) / 1000;
    const { beganCpuMs = cpuMs, stepCpuMs = cpuMs } = own;
    const leftMs = Math.min(budgetMs - (cpuMs - beganCpuMs), stepBudgetMs - (cpuMs - stepCpuMs));
    if (leftMs <= 0) return end({ status: "late", progress: own.progress });
    if (performance.now() - startedMs > maxWallMs) return end(none("the machine is busy"));
    watch(own, startedMs, Math.max(minCheckMs, leftMs));
  }

  /** The current job is finished; the thread continues. */
  function settle(done: JobResult<Answer>) {
    clearTimeout(deadline);
    idle = setTimeout(release, idleMs).unref();
    underway?.resolve(done);
    underway = undefined;
  }

  /** The thread is over, and so is the job in hand. */
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
