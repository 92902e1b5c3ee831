import { unavailable } from "@sonde/kit/errors";
import { createWorker } from "@sonde/kit/offload/worker";
import type { createRenderJobs, NeutralJob, PackedPart, RenderAnswer, RenderJob } from "./documents.ts";

type Job<Task extends RenderJob["task"]> = Omit<Extract<RenderJob, { task: Task }>, "task">;

/** Renders documents. @throws AppError `unavailable` */
export type Renderer = {
  /** The parts that differ from the written ones. */
  parts(job: Job<"parts">): Promise<PackedPart[]>;
  /** Gzipped HTML. */
  preview(job: Job<"preview">): Promise<Uint8Array>;
  /** The documents that no page has for itself, packed as a part. */
  neutral(): Promise<Uint8Array>;
  stop(): void;
};

/** Processor time of all documents: 500 services with trouble on each of 90 days take some four seconds. */
const budgetMs = 15_000;
const maxWaitMs = 30_000;
/** States are confirmed each minute, so the thread stays, with its cache. */
const idleMs = 300_000;
/**
 * Pages up to this size, about 15 services, take 30 ms at most and are rendered by the caller: an idle thread holds
 * 16 MiB. 500 services take a second.
 */
const maxInlineCharacters = 100_000;

export function createRenderer(): Renderer {
  const thread = new URL("./thread.ts", import.meta.url);
  const worker = createWorker<RenderJob | NeutralJob, RenderAnswer>({
    thread,
    name: "status page",
    budgetMs,
    maxWaitMs,
    idleMs,
  });
  let direct: ReturnType<typeof createRenderJobs> | undefined;
  return {
    ...rendererOver(async (job) => {
      if (job.task === "neutral" || job.page.length <= maxInlineCharacters) {
        direct ??= (await import("./documents.ts")).createRenderJobs();
        return direct(job);
      }
      const done = await worker.run(job, { characters: 1000 });
      if (done.status === "done") return done.answer;
      throw unavailable(
        "status-page",
        new Error(done.status === "late" ? "rendering used up its budget" : done.trouble),
      );
    }),
    stop: () => worker.stop(),
  };
}

/** The same with any runner of jobs. */
export function rendererOver(run: (job: RenderJob | NeutralJob) => Promise<RenderAnswer>): Omit<Renderer, "stop"> {
  return {
    async parts(job) {
      const answer = await run({ task: "parts", ...job });
      return "parts" in answer ? answer.parts : [];
    },
    async neutral() {
      const answer = await run({ task: "neutral" });
      return "html" in answer ? answer.html : Buffer.alloc(0);
    },
    async preview(job) {
      const answer = await run({ task: "preview", ...job });
      return "html" in answer ? answer.html : Buffer.alloc(0);
    },
  };
}
