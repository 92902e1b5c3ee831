import { auditWords } from "./parts/audit.ts";
import { firstWords } from "./parts/first.ts";
import { listWords } from "./parts/list.ts";
import { monitorWords } from "./parts/monitor.ts";
import { restWords } from "./parts/rest.ts";

/** Every word of the app in English, whose keys are those of all languages. It is loaded in parts. */
export const en = {
  ...firstWords,
  ...listWords,
  ...monitorWords,
  ...restWords,
  ...auditWords,
  errors: { ...firstWords.errors, ...listWords.errors },
  monitors: { ...firstWords.monitors, ...listWords.monitors },
} as const;
