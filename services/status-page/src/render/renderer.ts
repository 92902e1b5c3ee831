import { unavailable } from "@sonde/kit/errors";
import { createWorker } from "@sonde/kit/offload/worker";
import {
  createRenderJobs,
  type PackedPart,
  type PartsJob,
  type PreviewJob,
  type RenderAnswer,
  type RenderJob,
} from "./documents.ts";

/** @throws AppError `unavailable` */
export type Renderer = {
  parts(job: PartsJob): Promise<PackedPart[]>;
  /** Returns gzipped HTML. */
  preview(job: PreviewJob): Promise<Uint8Array>;
  stop(): void;
};

/** CPU time for all documents. 500 services with problems on each of 90 days took 4.5 s at first, and then 0.9 s. */
const budgetMs = 15_000;
const maxWaitMs = 30_000;
/** Keeps the thread with its cache, since states are published each minute. */
const idleMs = 300_000;

/**
 * Renders large pages in a worker thread, so they do not block the process. Pages up to `maxInlineCharacters`,
 * about 15 services, take 40 ms and are rendered by the caller, since an idle thread takes 16 MiB.
 */
export function createRenderer({ maxInlineCharacters = 100_000 } = {}): Renderer {
  const renderHere = createRenderJobs();
  const worker = createWorker<RenderJob, RenderAnswer>({
    thread: new URL("./thread.ts", import.meta.url),
    name: "status page",
    budgetMs,
    maxWaitMs,
    idleMs,
  });
  const render = async (job: RenderJob): Promise<RenderAnswer> => {
    if (job.page.length <= maxInlineCharacters) return renderHere(job);
    const done = await worker.run(job, { characters: 1000 });
    if (done.status === "done") return done.answer;
    throw unavailable("status-page", new Error(done.status === "late" ? "rendering used up its budget" : done.trouble));
  };
  return {
    parts: async (job) => (await render(job)).parts,
    preview: async (job) => (await render(job)).html,
    stop: () => worker.stop(),
  };
}

const minuteMs = 60_000;
/** CPU time per target in two languages. All pages together may use a thirtieth of the CPU: two seconds a minute. */
const targetMs = 1.8;
const renderShare = 1 / 30;
const maxFiguresEveryMs = 300_000;

/** Interval of rendering if only figures and times changed; 0 if every minute is within the share. */
export function figuresEveryMs(targets: number): number {
  const neededMs = Math.min(maxFiguresEveryMs, (targets * targetMs) / renderShare);
  return neededMs <= minuteMs ? 0 : neededMs;
}
