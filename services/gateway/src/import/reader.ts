import { decodeError } from "@sonde/kit/error-reply";
import { AppError, unavailable } from "@sonde/kit/errors";
import { createWorker } from "@sonde/kit/offload/worker";
import type { ImportedSchedule } from "@sonde/import/schedules/shapes";
import type { PreparedApply } from "../apply/read.ts";
import type { FolderRead } from "../apply/read-folder.ts";
import type { JobAnswer, PreparedImport, ReadJob } from "./jobs.ts";

type Job<Kind> = Omit<Extract<ReadJob, { kind: Kind }>, "kind">;

/**
 * Reads in a worker thread: parsing may take seconds, even deliberately.
 * @throws AppError invalid, impossible; too_large if it needs too much time or memory; unavailable
 */
export type DocumentReader = {
  readImport(job: Job<"import">): Promise<PreparedImport>;
  readApply(job: Job<"apply">): Promise<PreparedApply>;
  readFolder(job: Job<"folder">): Promise<FolderRead>;
  readSchedules(job: Job<"schedules">): Promise<ImportedSchedule[]>;
  stop(): void;
};

/** Ten thousand monitors take two seconds on a slow machine. */
const budgetMs = 15_000;
const limits = { maxWaiting: 4, maxWaitMs: 20_000 };

export function createDocumentReader(): DocumentReader {
  const worker = createWorker<ReadJob, JobAnswer>({
    thread: new URL("./thread.ts", import.meta.url),
    name: "import",
    budgetMs,
    ...limits,
  });
  return {
    ...readerBy(async (job) => {
      const done = await worker.run(job, { characters: job.kind === "folder" ? 0 : job.bytes.length });
      if (done.status === "done") return done.answer;
      if (done.status === "none") throw unavailable("gateway", new Error(done.trouble));
      const params = { limit: "8 MiB" };
      throw new AppError("too_large", "The file is too large to import (maximum {limit})", { params });
    }),
    stop: () => worker.stop(),
  };
}

export const createDirectReader = (): DocumentReader => ({
  ...readerBy(async (job) => (await import("./jobs.ts")).answerJob(job)),
  stop: () => {},
});

function readerBy(run: (job: ReadJob) => Promise<JobAnswer>) {
  const read = async (job: ReadJob) => {
    const answer = await run(job);
    if ("prepared" in answer) return answer.prepared;
    throw decodeError(answer.refused);
  };
  return {
    readImport: (job: Job<"import">) => read({ kind: "import", ...job }) as Promise<PreparedImport>,
    readApply: (job: Job<"apply">) => read({ kind: "apply", ...job }) as Promise<PreparedApply>,
    readFolder: (job: Job<"folder">) => read({ kind: "folder", ...job }) as Promise<FolderRead>,
    readSchedules: (job: Job<"schedules">) => read({ kind: "schedules", ...job }) as Promise<ImportedSchedule[]>,
  };
}
