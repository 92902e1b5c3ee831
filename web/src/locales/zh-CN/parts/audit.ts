import type { Translated } from "../../catalogue.ts";
import type { auditWords as en } from "../../en-US/parts/audit.ts";
import { audit } from "../audit.ts";

/** The same in Chinese. */
export const auditWords: Translated<typeof en> = { audit };
