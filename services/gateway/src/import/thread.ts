import { answerJobs } from "@sonde/kit/offload/thread";
import { answerJob, type Job } from "./jobs.ts";

answerJobs((job: Job) => answerJob(job));
