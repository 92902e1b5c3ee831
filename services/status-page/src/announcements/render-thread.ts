import { answerJobs } from "@sonde/kit/offload/thread";
import { renderMarkdown } from "./markdown.ts";

/** One text a job. */
answerJobs<string, string>(renderMarkdown);
