import { Worker } from "node:worker_threads";
import type { Said } from "./offload-thread.ts";
import { counter } from "./telemetry.ts";

/** What became of a job. `late`: it used up its budget; `none`: nothing can be said, for a reason that is ours. */
export type Done<Answer> =
  | { status: "done"; answer: Answer; costMs: number }
  | { status: "late"; /** How far it had come. */ progress: number }
  | { status: "none"; trouble: string };

/** A queue before one worker thread. */
export type Lane<Job, Answer> = {
  /** Never rejects. Of the jobs that wait the one that is expected to cost least is next; an unknown one costs 0. */
  run(job: Job, expected?: Expected): Promise<Done<Answer>>;
  /** Whether the thread is there. */
  isRunning(): boolean;
  stop(): void;
};

export type Expected = { costMs?: number; /** How much it takes to hold while it waits. */ characters?: number };

export type LaneOptions = {
  /** The module of the thread; it calls `answerJobs`. */
  thread: URL;
  /** For metrics. */
  name: string;
  /** Processor time that one job may use. Wall time would blame a job for a busy machine. */
  budgetMs: number;
  /** More jobs than this are turned away. */
  maxWaiting?: number;
  /** The same for the characters of all that wait. */
  maxCharacters?: number;
  /** A job that waited longer than this is given up. */
  maxWaitMs?: number;
  /** A thread without work ends after this time. */
  idleMs?: number;
};

type Waiting<Job, Answer> = Required<Expected> & {
  job: Job;
  sinceMs: number;
  resolve: (done: Done<Answer>) => void;
};
type Underway<Answer> = {
  resolve: (done: Done<Answer>) => void;
  startedMs: number;
  /** Undefined until the thread took the job up. */
  beganCpuMs?: number;
  progress: number;
};

const replaced = counter("sonde_offload_replaced_total", "Worker threads that were ended with a job in hand", [
  "name",
  "reason",
]);
/** A job that got no processor time for so many budgets says only that the machine is busy. */
const patientBudgets = 20;
const leastCheckMs = 20;
const busy = { status: "none", trouble: "the worker thread is busy" } as const;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/**
 * Runs jobs one after the other in a worker thread that starts with the first job and ends when it has been idle. A
 * thread whose job uses up its budget, or its memory, is ended; the next job gets a new one.
 */
export function createLane<Job, Answer>(options: LaneOptions): Lane<Job, Answer> {
  const { thread, name, budgetMs, maxWaiting = 500, maxWaitMs = 5_000, idleMs = 60_000 } = options;
  const { maxCharacters = 32 * 1024 * 1024 } = options;
  /** The cheapest first. */
  let queue: Waiting<Job, Answer>[] = [];
  let waitingCharacters = 0;
  let worker: Worker | undefined;
  let isReady = false;
  let underway: Underway<Answer> | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(thread, { resourceLimits });
    started.unref();
    started.on("message", (said: Said<Answer>) => started === worker && hear(said));
    started.on("error", (error: Error & { code?: string }) => {
      if (started !== worker) return;
      // What takes more memory than a thread may have takes too much time as well.
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY" && underway !== undefined;
      end(
        isTooLarge ? { status: "late", progress: underway?.progress ?? 0 } : { status: "none", trouble: String(error) },
      );
    });
    started.on("exit", () => started === worker && end({ status: "none", trouble: "the worker thread ended" }));
    return started;
  }

  function hear(said: Said<Answer>) {
    if (said.kind === "ready") {
      isReady = true;
      return next();
    }
    if (underway === undefined) return;
    if (said.kind === "began") underway.beganCpuMs = said.cpuMs;
    else if (said.kind === "progress") underway.progress = said.at;
    else if (said.kind === "done") settle({ status: "done", answer: said.answer, costMs: said.costMs });
    else settle({ status: "none", trouble: said.message });
  }

  function next() {
    const now = performance.now();
    giveUpBefore(now - maxWaitMs);
    if (underway !== undefined) return;
    if (queue.length === 0) {
      clearTimeout(idle);
      if (worker !== undefined) idle = setTimeout(release, idleMs).unref();
      return;
    }
    clearTimeout(idle);
    worker ??= start();
    if (!isReady) return;
    const { job, resolve } = take()!;
    underway = { resolve, startedMs: now, progress: 0 };
    watch(underway, budgetMs);
    worker.postMessage(job);
  }

  function add(waiting: Waiting<Job, Answer>) {
    waitingCharacters += waiting.characters;
    const at = queue.findIndex(({ costMs }) => costMs > waiting.costMs);
    queue.splice(at < 0 ? queue.length : at, 0, waiting);
  }

  function take(): Waiting<Job, Answer> | undefined {
    const first = queue.shift();
    waitingCharacters -= first?.characters ?? 0;
    return first;
  }

  function giveUpBefore(sinceMs: number) {
    const late = queue.filter((waiting) => waiting.sinceMs < sinceMs);
    if (late.length === 0) return;
    queue = queue.filter((waiting) => waiting.sinceMs >= sinceMs);
    for (const { characters, resolve } of late) {
      waitingCharacters -= characters;
      resolve(busy);
    }
  }

  function watch(job: Underway<Answer>, afterMs: number) {
    deadline = setTimeout(() => {
      look(job).catch(() => {
        // It ended meanwhile: `exit` tells.
      });
    }, afterMs).unref();
  }

  async function look(job: Underway<Answer>) {
    const usage = await worker?.cpuUsage();
    if (job !== underway || usage === undefined) return;
    const usedMs = job.beganCpuMs === undefined ? 0 : (usage.user + usage.system) / 1000 - job.beganCpuMs;
    if (usedMs >= budgetMs) return end({ status: "late", progress: job.progress });
    if (performance.now() - job.startedMs > patientBudgets * budgetMs) {
      return end({ status: "none", trouble: "the machine is busy" });
    }
    watch(job, Math.max(leastCheckMs, budgetMs - usedMs));
  }

  /** The job in hand is over; the thread goes on. */
  function settle(done: Done<Answer>) {
    clearTimeout(deadline);
    const { resolve } = underway!;
    underway = undefined;
    resolve(done);
    next();
  }

  /** The thread is over, and so is the job in hand, or the one that would have been first. */
  function end(done: Done<Answer>) {
    replaced.inc({ name, reason: done.status });
    const first = underway ?? take();
    release();
    first?.resolve(done);
    next();
  }

  function release() {
    clearTimeout(deadline);
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    isReady = false;
    underway = undefined;
    void ended?.terminate();
  }

  return {
    run: (job, { costMs = 0, characters = 0 } = {}) =>
      new Promise((resolve) => {
        const isFull = queue.length >= maxWaiting || waitingCharacters + characters > maxCharacters;
        if (isFull) return resolve(busy);
        add({ job, costMs, characters, sinceMs: performance.now(), resolve });
        next();
      }),
    isRunning: () => worker !== undefined,
    stop() {
      const given = [...(underway === undefined ? [] : [underway]), ...queue];
      queue = [];
      waitingCharacters = 0;
      release();
      for (const { resolve } of given) resolve({ status: "none", trouble: "stopping" });
    },
  };
}
