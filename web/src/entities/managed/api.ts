import type { messageAnswer } from "@sonde/proto/http/auth";
import type { sourcesAnswer } from "@sonde/proto/http/config/apply";
import type { ManagedKind } from "@sonde/proto/http/config/managed";
import { type AnswerOf, api } from "../../app/api.ts";
import { onSuccess } from "../../app/mutations.ts";

type Message = AnswerOf<typeof messageAnswer>;

/** Applying a large document can take this long. */
const timeoutMs = 65_000;
const sourceUrl = (name: string) => `/sources/${encodeURIComponent(name)}`;
/** Data that shows its owner. Single objects are refetched when their pages open. */
const owned = ["Monitor", "MonitorList", "Channels", "Templates", "NotificationSettings", "Maintenance"] as const;

const sourcesApi = api.enhanceEndpoints({ addTagTypes: ["Sources", "Maintenance"] }).injectEndpoints({
  endpoints: (build) => ({
    sources: build.query<AnswerOf<typeof sourcesAnswer>, void>({ query: () => "/sources", providesTags: ["Sources"] }),
    releaseObject: build.mutation<Message, { source: string; kind: ManagedKind; key: string }>({
      query: ({ source, kind, key }) => ({
        url: `${sourceUrl(source)}/objects/${kind}/${encodeURIComponent(key)}`,
        method: "DELETE",
      }),
      invalidatesTags: onSuccess("Sources", ...owned),
    }),
    /** `keep`: the source's objects remain and become editable. Otherwise they are deleted. */
    removeSource: build.mutation<Message, { name: string; keep: boolean }>({
      query: ({ name, keep }) => ({
        url: sourceUrl(name),
        method: "DELETE",
        params: keep ? { keep } : {},
        timeout: timeoutMs,
      }),
      invalidatesTags: onSuccess("Sources", "Dashboard", "RecentChecks", ...owned),
    }),
  }),
});

export const { useSourcesQuery, useReleaseObjectMutation, useRemoveSourceMutation } = sourcesApi;
