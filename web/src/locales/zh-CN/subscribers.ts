import type * as en from "../en-US/subscribers.ts";
import type { Translated } from "../catalogue.ts";

export const subscribers: Translated<typeof en.subscribers> = {};
