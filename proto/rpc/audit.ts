import * as z from "zod";
import { auditAnswer, auditEntry, auditExportQuery, auditQuery } from "../http/audit.ts";
import { contract, nothing } from "./contract.ts";

/** The audit log, owned by auth. Administrators only. */
export const auditContract = contract("audit", {
  listEntries: { input: auditQuery, answer: auditAnswer.pick({ entries: true, total: true }) },
  // For the export, newest first, limited to what fits into one message. `after`: the last entry of the previous page.
  pageEntries: {
    input: auditExportQuery.extend({ after: auditEntry.pick({ id: true, at: true }).optional() }),
    answer: z.object({ entries: z.array(auditEntry), more: z.boolean() }),
  },
  // Records exports, which the gateway performs itself.
  recordExport: { input: z.object({ target: z.enum(["installation", "audit"]) }), answer: nothing },
});
