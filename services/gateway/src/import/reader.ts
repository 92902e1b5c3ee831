import { AppError, decodeError, unavailable } from "@sonde/kit/errors";
import { createWorker } from "@sonde/kit/offload/worker";
import { setImmediate as otherWork } from "node:timers/promises";
import { answerJob, type ImportJob, type JobAnswer } from "./jobs.ts";
import type { PreparedImport } from "./shapes.ts";

/** Reads imported files in a thread of its own: parsing one may take seconds, even on purpose. */
export type ImportReader = {
  /** @throws AppError invalid, impossible; too_large where it takes too much time or memory; unavailable */
  read(job: ImportJob): Promise<PreparedImport>;
  stop(): void;
};

/** Ten thousand monitors take two seconds on a slow machine. */
const budgetMs = 15_000;
const most = { maxWaiting: 4, maxWaitMs: 20_000 };

export function createImportReader(): ImportReader {
  const worker = createWorker<ImportJob, JobAnswer>({
    thread: new URL("./thread.ts", import.meta.url),
    name: "import",
    budgetMs,
    ...most,
  });
  return {
    async read(job) {
      const done = await worker.run(job, { characters: job.bytes.length });
      if (done.status === "done") return preparedOf(done.answer);
      if (done.status === "none") throw unavailable("gateway", new Error(done.trouble));
      const params = { limit: "8 MiB" };
      throw new AppError("too_large", "The file is too large to be imported at once (at most {limit})", { params });
    },
    stop: () => worker.stop(),
  };
}

/** The same on the caller's thread: for tests. */
export const createDirectReader = (): ImportReader => ({
  read: async (job) => preparedOf(answerJob(job)),
  stop: () => {},
});

async function preparedOf(answer: JobAnswer): Promise<PreparedImport> {
  if (!("prepared" in answer)) throw decodeError(answer.refused);
  const { monitors, refused, ...prepared } = answer.prepared;
  return {
    ...prepared,
    monitors: await join<PreparedImport["monitors"][number]>(monitors),
    refused: await join<PreparedImport["refused"][number]>(refused),
  };
}

/** The entries of slices, with a turn of the loop for others after each. */
async function join<Entry>(slices: readonly Uint8Array[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const bytes of slices) {
    entries.push(...(JSON.parse(Buffer.from(bytes).toString()) as Entry[]));
    await otherWork();
  }
  return entries;
}
