import { AppError, decodeError, unavailable } from "@sonde/kit/errors";
import { createWorker } from "@sonde/kit/offload/worker";
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

function preparedOf(answer: JobAnswer): PreparedImport {
  if ("prepared" in answer) return answer.prepared;
  throw decodeError(answer.refused);
}
