import { auditAnswer, type AuditEntry, auditExportQuery, auditQuery } from "@sonde/proto/http/audit";
import { Readable } from "node:stream";
import { rawRoute, route } from "../route.ts";

export const auditRoutes = [
  route("GET /api/audit", "admin", {
    summary: "List changes by users and API keys, logins and exports, newest first",
    description: "Entries appear seconds after the change and are kept for `RETENTION_AUDIT_DAYS`.",
    query: auditQuery,
    answer: auditAnswer,
    handle: ({ services, query, ask }) => services.audit.listEntries(query, ask),
  }),
  rawRoute("GET /api/audit/export", "admin", {
    summary: "Export matching entries as JSON lines, newest first",
    description: "The export itself adds an entry. If the service fails midway, the connection is closed.",
    query: auditExportQuery,
    refusals: ["too_many"],
    media: "application/x-ndjson",
    handle: async ({ services, query, session, ctx, takeBatches, ask }) => {
      await services.audit.recordExport({ target: "audit" }, ask);
      // Read before the response starts: an unavailable service can still set the status.
      const first = await services.audit.pageEntries(query, ask);
      takeBatches(session.userId, ctx.res);
      async function* lines() {
        for (
          let page = first;
          ;
          page = await services.audit.pageEntries({ ...query, after: page.entries.at(-1) }, ask)
        ) {
          yield page.entries.map(lineOf).join("");
          if (!page.more) return;
        }
      }
      ctx.compress = false;
      ctx.set("Content-Type", "application/x-ndjson; charset=utf-8");
      ctx.set("Content-Disposition", 'attachment; filename="sonde-audit.ndjson"');
      ctx.body = Readable.from(lines(), { objectMode: false, highWaterMark: 1 });
    },
  }),
];

const lineOf = (entry: AuditEntry) => `${JSON.stringify(entry)}\n`;
