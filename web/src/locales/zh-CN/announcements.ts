import type * as en from "../en-US/announcements.ts";
import type { Translated } from "../catalogue.ts";

export const announcements: Translated<typeof en.announcements> = {};
