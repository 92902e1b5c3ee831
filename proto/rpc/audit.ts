import * as z from "zod";
import { auditAnswer, auditEntry, auditExportQuery, auditQuery } from "../http/audit.ts";
import { contract, nothing } from "./contract.ts";

/** The audit, of auth. Administrators only. */
export const auditContract = contract("audit", {
  listEntries: { input: auditQuery, answer: auditAnswer.pick({ entries: true, total: true }) },
  // For the export, the newest first: no more than one message holds. `after`: the last one of the page before.
  pageEntries: {
    input: auditExportQuery.extend({ after: auditEntry.pick({ id: true, at: true }).optional() }),
    answer: z.object({ entries: z.array(auditEntry), more: z.boolean() }),
  },
  // What the gateway does itself.
  recordExport: { input: z.object({ target: z.enum(["installation", "audit"]) }), answer: nothing },
});
