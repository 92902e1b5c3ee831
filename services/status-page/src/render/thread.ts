import { answerJobs } from "@sonde/kit/offload/thread";
import { createRenderJobs, type RenderAnswer, type RenderJob } from "./documents.ts";

answerJobs<RenderJob, RenderAnswer>(createRenderJobs());
