import { auditAnswer, type AuditEntry, auditExportQuery, auditQuery } from "@sonde/proto/http/audit";
import { Readable } from "node:stream";
import { rawRoute, route } from "../route.ts";

export const auditRoutes = [
  route("GET /api/audit", "admin", {
    summary: "What people and API keys changed, and logins and exports; the newest first",
    description: "An entry is there seconds after its change, and is kept for `RETENTION_AUDIT_DAYS`.",
    query: auditQuery,
    answer: auditAnswer,
    handle: ({ services, query, ask }) => services.audit.listEntries(query, ask),
  }),
  rawRoute("GET /api/audit/export", "admin", {
    summary: "All entries that match as lines of JSON, the newest first",
    description: "The export is an entry itself. The connection is cut where the service fails on the way.",
    query: auditExportQuery,
    refusals: ["too_many"],
    media: "application/x-ndjson",
    handle: async ({ services, query, session, ctx, takeBatches, ask }) => {
      await services.audit.recordExport({ target: "audit" }, ask);
      // Read before anything is sent, so that a service that is away is reported by the status.
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
