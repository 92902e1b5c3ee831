import { setImmediate as messagesHeard } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createOffloadQueue, type JobEstimate } from "./queue.ts";
import type { ThreadMessage } from "./thread.ts";
import { counter } from "../telemetry/metrics.ts";

/** How long a job may take on the wall clock. */
export type JobLimits = Pick<WorkerOptions, "maxWaitMs" | "maxWallMs">;

/** The result of a job. `late`: it exceeded its budget; `none`: no result, by a fault of ours. */
export type JobResult<Answer> =
  | { status: "done"; answer: Answer; costMs: number }
  | { status: "late"; /** How far it had come. */ progress: number }
  | { status: "none"; trouble: string };

/** A queue before one worker thread. */
export type OffloadWorker<Job, Answer> = {
  /** Never rejects, and is answered in bounded time. Jobs that are expected to cost little go first (offload-queue.ts). */
  run(job: Job, expected: JobEstimate): Promise<JobResult<Answer>>;
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
  /** What the costliest job of this worker is expected to cost; its budget unless it is given. */
  maxCostMs?: number;
  /** More jobs than this are rejected. */
  maxWaiting?: number;
  /** The same for the characters of all that wait. */
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

type Resolve<Answer> = (done: JobResult<Answer>) => void;
type Waiting<Job, Answer> = { job: Job; resolve: Resolve<Answer> };
type Underway<Answer> = {
  resolve: Resolve<Answer>;
  startedMs: number;
  /** Processor time of the thread when it started the job, and when it last reported progress. */
  beganCpuMs?: number;
  stepCpuMs?: number;
  progress: number;
};

const replaced = counter("sonde_offload_replaced_total", "Worker threads that were ended with a job in hand", [
  "name",
  "reason",
]);
const wallBudgets = 20;
const leastCheckMs = 20;
const busy = { status: "none", trouble: "the worker thread is busy" } as const;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/**
 * Runs jobs one after the other in a worker thread that starts with the first job and ends when it has been idle. A
 * thread whose job exceeds its budget of time or memory is terminated; the next job gets a new one. If no thread can be
 * started, all waiting jobs are rejected.
 */
export function createWorker<Job, Answer>(options: WorkerOptions): OffloadWorker<Job, Answer> {
  const { thread, name, budgetMs, maxWaiting = 500, maxWaitMs = 5_000, idleMs = 60_000 } = options;
  const { maxCharacters = 32 * 1024 * 1024, stepBudgetMs = budgetMs, maxCostMs = budgetMs } = options;
  const { maxStartMs = 30_000, maxWallMs = wallBudgets * stepBudgetMs } = options;
  // Half of a job's longest wait: after that no newer job overtakes it, so it can still run in time.
  const maxYieldMs = maxWaitMs / 2;
  const limits = { maxJobs: maxWaiting, maxCharacters, maxCostMs, maxYieldMs };
  const queue = createOffloadQueue<Waiting<Job, Answer>>(limits);
  let worker: Worker | undefined;
  let isReady = false;
  let underway: Underway<Answer> | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let starting: NodeJS.Timeout | undefined;
  /** For the job that waits longest. */
  let expiry: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(thread, { resourceLimits });
    started.unref();
    started.on("message", (said: ThreadMessage<Answer>) => started === worker && hear(said));
    started.on("error", (error: Error & { code?: string }) => {
      if (started !== worker) return;
      // What takes more memory than a thread may have takes too much time as well.
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY" && underway !== undefined;
      end(
        isTooLarge ? { status: "late", progress: underway?.progress ?? 0 } : { status: "none", trouble: String(error) },
      );
    });
    started.on("exit", () => started === worker && end({ status: "none", trouble: "the worker thread ended" }));
    starting = setTimeout(() => {
      end({ status: "none", trouble: "the worker thread did not start in time" });
    }, maxStartMs).unref();
    return started;
  }

  function hear(said: ThreadMessage<Answer>) {
    if (said.kind === "ready") {
      isReady = true;
      clearTimeout(starting);
      return next();
    }
    if (underway === undefined) return;
    if (said.kind === "began") underway.beganCpuMs = underway.stepCpuMs = said.cpuMs;
    else if (said.kind === "progress") {
      underway.progress = said.at;
      underway.stepCpuMs = said.cpuMs;
    } else if (said.kind === "done") settle({ status: "done", answer: said.answer, costMs: said.costMs });
    else settle({ status: "none", trouble: said.message });
  }

  function next() {
    expire();
    if (underway !== undefined) return;
    clearTimeout(idle);
    if (queue.oldestMs() === undefined) {
      if (worker !== undefined) idle = setTimeout(release, idleMs).unref();
      return;
    }
    try {
      worker ??= start();
      if (isReady) hand(worker, queue.take()!);
    } catch (error) {
      // The system has no thread for us, or the job cannot be sent to one.
      end({ status: "none", trouble: String(error) });
    }
  }

  function hand(to: Worker, { job, resolve }: Waiting<Job, Answer>) {
    underway = { resolve, startedMs: performance.now(), progress: 0 };
    to.postMessage(job);
    watch(underway, stepBudgetMs);
  }

  /** Gives up what waited too long, and comes again when the next one will have. */
  function expire() {
    clearTimeout(expiry);
    const now = performance.now();
    for (const { resolve } of queue.takeUntil(now - maxWaitMs)) resolve(busy);
    const oldestMs = queue.oldestMs();
    if (oldestMs === undefined) return;
    expiry = setTimeout(expire, Math.ceil(oldestMs + maxWaitMs - now)).unref();
  }

  function watch(job: Underway<Answer>, afterMs: number) {
    deadline = setTimeout(() => {
      look(job).catch(() => {
        // It exited meanwhile: the `exit` handler reports that.
      });
    }, afterMs).unref();
  }

  async function look(job: Underway<Answer>) {
    const usage = await worker?.cpuUsage();
    // The thread may have reported progress before the request.
    await messagesHeard();
    if (job !== underway || usage === undefined) return;
    const cpuMs = (usage.user + usage.system) / 1000;
    const { beganCpuMs = cpuMs, stepCpuMs = cpuMs } = job;
    const leftMs = Math.min(budgetMs - (cpuMs - beganCpuMs), stepBudgetMs - (cpuMs - stepCpuMs));
    if (leftMs <= 0) return end({ status: "late", progress: job.progress });
    if (performance.now() - job.startedMs > maxWallMs) {
      return end({ status: "none", trouble: "the machine is busy" });
    }
    watch(job, Math.max(leastCheckMs, leftMs));
  }

  /** The current job is finished; the thread continues. */
  function settle(done: JobResult<Answer>) {
    clearTimeout(deadline);
    const { resolve } = underway!;
    underway = undefined;
    resolve(done);
    next();
  }

  /** The thread is over, and so is the job in hand. One that was not even ready is of no use to any that wait. */
  function end(done: JobResult<Answer>) {
    replaced.inc({ name, reason: done.status });
    const over = underway === undefined ? queue.takeAll() : [underway];
    release();
    for (const { resolve } of over) resolve(done);
    next();
  }

  function release() {
    clearTimeout(deadline);
    clearTimeout(idle);
    clearTimeout(starting);
    const ended = worker;
    worker = undefined;
    isReady = false;
    underway = undefined;
    void ended?.terminate();
  }

  return {
    run: (job, expected) =>
      new Promise((resolve) => {
        if (queue.add({ job, resolve }, expected, performance.now())) next();
        else resolve(busy);
      }),
    isRunning: () => worker !== undefined,
    stop() {
      const given = [...(underway === undefined ? [] : [underway]), ...queue.takeAll()];
      clearTimeout(expiry);
      release();
      for (const { resolve } of given) resolve({ status: "none", trouble: "stopping" });
    },
  };
}
