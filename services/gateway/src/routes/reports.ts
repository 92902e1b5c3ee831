import {
  maxReports,
  reportAnswer,
  reportDocumentQuery,
  reportInput,
  reportFile,
  reportPatch,
  reportsAnswer,
  reportsQuery,
  sendReportInput,
} from "@sonde/proto/http/reports";
import type { Context } from "../context.ts";
import { limitTexts } from "../middleware/limits.ts";
import { command, rawRoute, route } from "../route.ts";
import { timeouts } from "../services.ts";
import { requireScope } from "../sessions/scopes.ts";
import { requireSession } from "../sessions/sessions.ts";

const missing = "Report does not exist";
const params = { id: missing } as const;
const references = "422 if it names a target, page or channel that does not exist, with the path of each.";
const recipients =
  "Recipients without an account are mailed a link to confirm, at most 3 times a day and mailbox, and 100 times a day in total; otherwise 429.";
const byMail = "/api/reports/recipients";

/** Only inline styles, and the form of the page itself. */
const documentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function sendHtml(ctx: Context, document: string): void {
  ctx.set("Content-Security-Policy", documentPolicy);
  ctx.set("Referrer-Policy", "no-referrer");
  ctx.set("Cache-Control", "private, no-store");
  ctx.set("Content-Type", "text/html; charset=utf-8");
  ctx.body = document;
}

const tokenQuery = reportDocumentQuery.required();

export const reportRoutes = [
  route("GET /api/reports", "session", {
    summary: "List reports, with what was made and the key that verifies it",
    query: reportsQuery,
    answer: reportsAnswer,
    handle: ({ services, query, ask }) => services.reports.listReports(query, ask),
  }),
  route("POST /api/reports", "write", {
    summary: "Create a report that is made at the end of each period",
    description: `At most ${maxReports}. ${references} ${recipients}`,
    body: reportInput,
    refusals: ["too_many"],
    status: 201,
    answer: reportAnswer,
    message: "Report created",
    handle: async ({ services, body, ask }) => ({ report: await services.reports.createReport(body, ask) }),
  }),
  route("GET /api/reports/:id", "session", {
    summary: "Get a report",
    params,
    answer: reportAnswer,
    handle: async ({ services, params: { id }, ask }) => ({ report: await services.reports.getReport({ id }, ask) }),
  }),
  route("PUT /api/reports/:id", "write", {
    summary: "Change all or some fields of a report; reports that were made stay as they are",
    description: `\`null\` removes an optional field. A new scope replaces the others. ${references} ${recipients}`,
    params,
    body: reportPatch,
    refusals: ["conflict", "too_many"],
    answer: reportAnswer,
    message: "Report updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      report: await services.reports.updateReport({ ...body, id }, ask),
    }),
  }),
  command("DELETE /api/reports/:id", "write", {
    summary: "Delete a report with everything that was made",
    params,
    refusals: ["conflict"],
    message: "Report deleted",
    handle: ({ services, params: { id }, ask }) => services.reports.deleteReport({ id }, ask),
  }),
  route("POST /api/reports/:id/send", "write", {
    summary: "Make and send the report of a period that has ended; if there is one, a correction",
    description:
      "At most 10 a day, otherwise 429. 422 if the period has not ended, does not fit the report, or its results are no longer stored.",
    params,
    body: sendReportInput,
    refusals: ["too_many"],
    answer: reportAnswer,
    message: "Report sent",
    handle: async ({ services, params: { id }, body, ask }) => {
      const report = await services.reports.sendReport({ ...body, id }, { ...ask, timeoutMs: timeouts.reportMs });
      return { report };
    },
  }),
  rawRoute("GET /api/reports/:id/:period", "anyone", {
    summary: "Read a report as HTML or, if the period ends in .csv, as CSV",
    description: "Needs a session, a key with scope read, or the token of the report's link; otherwise 401 or 404.",
    params: { id: missing, period: { missing, schema: reportFile } },
    query: reportDocumentQuery,
    refusals: ["unauthenticated", "forbidden", "not_found"],
    media: "text/html",
    handle: async ({ ctx, services, sessions, params: { id, period: name }, query: { token }, ask }) => {
      if (token === undefined) {
        const { key } = await requireSession(ctx.req, ctx.state.address, sessions);
        if (key !== undefined) requireScope(key, { method: "GET", path: "/api/reports", who: "session" });
      }
      const [, period, suffix = "html"] = /^(.*?)(?:\.(html|csv))?$/.exec(name) ?? [];
      const format = suffix === "csv" ? "csv" : "html";
      const { document } = await services.reports.readReport({ id, period: period!, format, token }, ask);
      if (format === "html") return sendHtml(ctx, document);
      ctx.set("Cache-Control", "private, no-store");
      ctx.set("Content-Type", "text/csv; charset=utf-8");
      ctx.set("Content-Disposition", `attachment; filename="report-${id}-${period}.csv"`);
      ctx.body = document;
    },
  }),
  rawRoute(`GET ${byMail}`, "anyone", {
    summary: "Show a page that asks whether to receive reports, or to stop them; it changes nothing",
    description: limitTexts.token,
    query: tokenQuery,
    refusals: ["too_many"],
    media: "text/html",
    handle: async ({ ctx, services, subscriptions, query: { token }, ask }) => {
      await subscriptions.token(ctx.state.address);
      sendHtml(ctx, (await services.reports.recipientLink({ token, confirms: false }, ask)).document);
    },
  }),
  rawRoute(`POST ${byMail}`, "anyone", {
    summary: "Confirm to receive reports, or unsubscribe, with the token of a mail",
    description: `Mail clients unsubscribe with this too (RFC 8058). ${limitTexts.token}`,
    query: tokenQuery,
    limits: { maxBytes: 1024, deadlineMs: 5_000, isForm: true },
    refusals: ["too_many"],
    media: "text/html",
    handle: async ({ ctx, services, subscriptions, query: { token }, ask }) => {
      await subscriptions.token(ctx.state.address);
      sendHtml(ctx, (await services.reports.recipientLink({ token, confirms: true }, ask)).document);
    },
  }),
];
