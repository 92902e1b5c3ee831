import { unavailable } from "@sonde/kit/errors";
import { createWorker, type Done } from "@sonde/kit/offload/worker";
import type { PageStates } from "@sonde/proto/http/status-snapshot";
import type { Job, JobAnswer, Made, StoredPage } from "./jobs.ts";
import type { Around } from "./make.ts";
import type { Summary } from "./read.ts";
import type { Wanted, WantedOnce } from "./wanted.ts";

/** Reads snapshots and makes documents. Both cost more than a turn of the loop may last. */
export type Maker = {
  /** What a snapshot holds, or why it cannot be read. @throws AppError `unavailable` where nobody could look */
  read(page: StoredPage): Promise<{ summary: Summary } | { unreadable: string }>;
  /** `costMs`: processor time. @throws AppError `unavailable` where it could not be made */
  make(order: Order): Promise<{ made: Made; costMs: number }>;
  stop(): void;
};
export type Order = { page: StoredPage; states: PageStates; wanted: Wanted | WantedOnce; around: Around };

/** Processor time of one document: 500 services with trouble on each of 90 days take 1.2 s. */
const budgetMs = 3_000;
/** Longer than three documents that use up their budget. */
const maxWaitMs = 10_000;
/** A guess, for the order of jobs alone: small documents go before the whole page. */
const costs: Record<string, number> = { read: 100, page: 200, preview: 200, history: 200, json: 100 };
const otherCostMs = 10;
/** Snapshots come each minute: the thread stays, with what it read. */
const idleMs = 300_000;

/** A thread of its own does it. */
export function createMaker(): Maker {
  const worker = createWorker<Job, JobAnswer>({
    thread: new URL("./thread.ts", import.meta.url),
    name: "status page",
    budgetMs,
    maxWaitMs,
    idleMs,
  });
  const run = (job: Job) => {
    const costMs = costs[job.task === "read" ? "read" : job.wanted.kind] ?? otherCostMs;
    return worker.run(job, { costMs, characters: 1000 });
  };
  return { ...makerOver(run), stop: () => worker.stop() };
}

/** What turns jobs into what is asked of a maker. */
export function makerOver(run: (job: Job) => Promise<Done<JobAnswer>>): Omit<Maker, "stop"> {
  const ask = async (job: Job) => {
    const done = await run(job);
    if (done.status === "done") return done;
    throw unavailable("status-page", new Error(done.status === "late" ? "a job used up its budget" : done.trouble));
  };
  return {
    async read(page) {
      const { answer } = await ask({ task: "read", page });
      if ("made" in answer) throw new TypeError("a snapshot that was read has a summary");
      return answer;
    },
    async make(order) {
      const { answer, costMs } = await ask({ task: "make", ...order });
      if (!("made" in answer)) throw new TypeError("an order is answered by a document");
      return { made: answer.made, costMs };
    },
  };
}
