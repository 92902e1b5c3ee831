import { answerJobs } from "@sonde/kit/offload/thread";
import { createRenderJobs, type NeutralJob, type RenderAnswer, type RenderJob } from "./documents.ts";

/** Renders documents beside the thread of the services. */
answerJobs<RenderJob | NeutralJob, RenderAnswer>(createRenderJobs());
