import type { Translated } from "../catalogue.ts";
import type { en } from "../en-US/index.ts";
import { firstWords } from "./first.ts";
import { listWords } from "./list.ts";
import { restWords } from "./rest.ts";

/** Every word of the app in Chinese. */
export const zh: Translated<typeof en> = {
  ...firstWords,
  ...listWords,
  ...restWords,
  errors: { ...firstWords.errors, ...listWords.errors },
  monitors: { ...firstWords.monitors, ...listWords.monitors },
};
