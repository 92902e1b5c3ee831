import { answerJobs } from "@sonde/kit/offload/thread";
import { answerJob, type ImportJob } from "./jobs.ts";

answerJobs((job: ImportJob) => answerJob(job));
