import type { Translated } from "../catalogue.ts";
import type { en } from "../en-US/index.ts";
import { auditWords } from "./parts/audit.ts";
import { firstWords } from "./parts/first.ts";
import { listWords } from "./parts/list.ts";
import { monitorWords } from "./parts/monitor.ts";
import { restWords } from "./parts/rest.ts";

/** Every word of the app in Chinese. */
export const zh: Translated<typeof en> = {
  ...firstWords,
  ...listWords,
  ...monitorWords,
  ...restWords,
  ...auditWords,
  errors: { ...firstWords.errors, ...listWords.errors },
  monitors: { ...firstWords.monitors, ...listWords.monitors },
};
