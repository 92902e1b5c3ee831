import type * as en from "../en-US/maintenance.ts";
import type { Translated } from "../catalogue.ts";

export const maintenance: Translated<typeof en.maintenance> = {};
