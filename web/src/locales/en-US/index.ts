import { firstWords } from "./first.ts";
import { listWords } from "./list.ts";
import { restWords } from "./rest.ts";

/** Every word of the app in English, whose keys are those of all languages. It is loaded in its three parts. */
export const en = {
  ...firstWords,
  ...listWords,
  ...restWords,
  errors: { ...firstWords.errors, ...listWords.errors },
  monitors: { ...firstWords.monitors, ...listWords.monitors },
} as const;
