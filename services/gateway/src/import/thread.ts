import { answerJobs } from "@sonde/kit/offload/thread";
import { answerJob, type ReadJob } from "./jobs.ts";

answerJobs((job: ReadJob) => answerJob(job));
