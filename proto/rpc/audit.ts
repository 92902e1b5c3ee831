import * as z from "zod";
import { auditAnswer, auditEntry, auditExportQuery, auditQuery } from "../http/audit.ts";
import { instant } from "../http/envelope.ts";
import { contract, nothing } from "./contract.ts";

const edit = auditEntry.pick({ at: true, action: true }).extend({ by: z.string(), fields: z.array(z.string()) });
export type MonitorEdit = z.output<typeof edit>;

/** The audit log, owned by auth. Administrators only, except where noted. */
export const auditContract = contract("audit", {
  listEntries: { input: auditQuery, answer: auditAnswer.pick({ entries: true, total: true }) },
  // For the export, newest first, limited to what fits into one message. `after`: the last entry of the previous page.
  pageEntries: {
    input: auditExportQuery.extend({ after: auditEntry.pick({ id: true, at: true }).optional() }),
    answer: z.object({ entries: z.array(auditEntry), more: z.boolean() }),
  },
  // The newest 20 edits of a monitor, with their authors and fields. Called by services, which decide who may see them.
  listEdits: {
    input: z.object({ monitorId: z.int(), since: instant, until: instant }),
    answer: z.object({ edits: z.array(edit) }),
  },
  // Records exports, which the gateway performs itself.
  recordExport: { input: z.object({ target: z.enum(["installation", "audit"]) }), answer: nothing },
});
