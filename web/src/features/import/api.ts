import type { exportAnswer } from "@sonde/proto/http/export";
import type { importAnswer } from "@sonde/proto/http/import";
import { type AnswerOf, api } from "../../app/api.ts";
import type { FileContent } from "./read-file.ts";

/** The server itself has a minute for each of its two steps. */
const timeoutMs = 130_000;

const importApi = api.injectEndpoints({
  endpoints: (build) => ({
    importFile: build.mutation<AnswerOf<typeof importAnswer>, { content: FileContent; dryRun: boolean }>({
      query: ({ content, dryRun }) => ({
        url: "/import",
        method: "POST",
        params: { dryRun },
        body: content,
        timeout: timeoutMs,
      }),
      invalidatesTags: (_answer, _error, { dryRun }) =>
        dryRun ? [] : ["MonitorList", "RecentChecks", "Dashboard", "Channels", "NotificationSettings", "Templates"],
    }),
    exportAll: build.mutation<AnswerOf<typeof exportAnswer>, void>({
      query: () => ({ url: "/export", timeout: timeoutMs }),
    }),
  }),
});
export const { useImportFileMutation, useExportAllMutation } = importApi;
