import * as z from "zod";
import { id } from "../http/envelope.ts";
import { report, reportInput, reportPatch, reportsAnswer, reportsQuery, sendReportInput } from "../http/reports.ts";
import { contract, nothing } from "./contract.ts";

const byId = z.object({ id });

/** Reports about a period, and their documents. */
export const reportsContract = contract("reports", {
  listReports: { input: reportsQuery, answer: reportsAnswer.pick({ reports: true, total: true, publicKey: true }) },
  getReport: { input: byId, answer: report },
  createReport: { input: reportInput, answer: report },
  updateReport: { input: reportPatch.extend({ id }), answer: report },
  deleteReport: { input: byId, answer: nothing },
  sendReport: { input: sendReportInput.extend({ id }), answer: report },
  // Without a token the caller has a session. not_found: no such report, or the token is not valid
  readReport: {
    input: z.object({ id, period: z.string(), format: z.enum(["html", "csv"]), token: z.string().optional() }),
    answer: z.object({ document: z.string() }),
  },
  // The page behind a link in a mail. Only with `confirms` it has an effect: the recipient confirms, or unsubscribes.
  recipientLink: {
    input: z.object({ token: z.string(), confirms: z.boolean() }),
    answer: z.object({ document: z.string() }),
  },
});
