import type { agentsAnswer } from "@sonde/proto/http/agents/agents";
import type { auditAnswer, AuditFilters, auditQuery } from "@sonde/proto/http/audit";
import type { monitorsAnswer } from "@sonde/proto/http/monitors/monitors";
import type { keysAnswer } from "@sonde/proto/http/keys";
import type { usersAnswer } from "@sonde/proto/http/users";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";

/** The server reads page by page, possibly years of entries. */
const exportTimeoutMs = 600_000;

const auditApi = api.injectEndpoints({
  endpoints: (build) => ({
    audit: build.query<AnswerOf<typeof auditAnswer>, QueryOf<typeof auditQuery>>({
      query: (params) => ({ url: "/audit", params }),
    }),
    /** Returns an object URL of the file. */
    exportAudit: build.mutation<{ objectUrl: string }, AuditFilters>({
      query: (params) => ({
        url: "/audit/export",
        params,
        timeout: exportTimeoutMs,
        responseHandler: async (response) =>
          response.ok
            ? { success: true, objectUrl: URL.createObjectURL(await response.blob()) }
            : ((await response.json()) as unknown),
      }),
    }),
    /** At most as many ids as entries on a page. */
    auditMonitors: build.query<AnswerOf<typeof monitorsAnswer>, string>({
      query: (ids) => ({ url: "/monitors", params: { ids, compact: true, pageSize: 50 } }),
    }),
    auditAgents: build.query<AnswerOf<typeof agentsAnswer>, void>({
      query: () => ({ url: "/agents", params: { pageSize: 200, sort: "name" } }),
    }),
    auditUsers: build.query<AnswerOf<typeof usersAnswer>, void>({
      query: () => ({ url: "/users", params: { pageSize: 200, sort: "username" } }),
    }),
    auditKeys: build.query<AnswerOf<typeof keysAnswer>, void>({
      query: () => ({ url: "/keys", params: { all: true } }),
    }),
  }),
});

export const {
  useAuditQuery,
  useExportAuditMutation,
  useAuditMonitorsQuery,
  useAuditAgentsQuery,
  useAuditUsersQuery,
  useAuditKeysQuery,
} = auditApi;

/** There are no live events for audit entries. */
export const pollMs = 30_000;
