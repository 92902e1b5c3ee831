import { answerJobs } from "@sonde/kit/offload/thread";
import { rehearse, type RehearsalJob } from "./rehearse.ts";

answerJobs((job: RehearsalJob) => rehearse(job));
