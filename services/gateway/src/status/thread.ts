import { answerJobs } from "@sonde/kit/offload/thread";
import { createJobs, type Job, type JobAnswer } from "./jobs.ts";

/** Reads snapshots and makes documents beside the thread that serves. */
answerJobs<Job, JobAnswer>(createJobs());
