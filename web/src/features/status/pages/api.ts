import type { messageAnswer } from "@sonde/proto/http/auth";
import type { checkAnswer } from "@sonde/proto/http/monitors/checks";
import type { MonitorInputDraft } from "@sonde/proto/http/monitors/monitors";
import { pageMark } from "@sonde/proto/http/status/documents";
import type {
  pageAnswer,
  pageChange,
  pageInput,
  pageLinkAnswer,
  pageLinkInput,
  StatusPage,
  unlockAnswer,
} from "@sonde/proto/http/status/pages";
import { useSearchParams } from "react-router-dom";
import type { z } from "zod";
import { type AnswerOf, api } from "../../../app/api.ts";
import { onSuccess } from "../../../app/mutations.ts";
import { paths } from "../../../app/paths.ts";

/** Slug of the page at `/status`, which always exists. */
export const defaultPage = "default";

const testSeconds = 10;

type Changed = AnswerOf<typeof pageAnswer>;

const changed = (_answer: unknown, error: unknown, { slug }: { slug: string }) =>
  error === undefined ? (["Pages", { type: "Page", id: slug }] as const) : [];

const pagesApi = api.enhanceEndpoints({ addTagTypes: ["Page", "Pages"] }).injectEndpoints({
  endpoints: (build) => ({
    statusPage: build.query<StatusPage, string>({
      query: (slug) => `/pages/${slug}`,
      transformResponse: ({ page }: Changed) => page,
      providesTags: (_answer, _error, slug) => [{ type: "Page", id: slug }],
    }),
    createPage: build.mutation<Changed, z.input<typeof pageInput>>({
      query: (body) => ({ url: "/pages", method: "POST", body }),
      invalidatesTags: onSuccess("Pages"),
    }),
    savePage: build.mutation<Changed & { message?: string }, { slug: string; input: z.input<typeof pageChange> }>({
      query: ({ slug, input }) => ({ url: `/pages/${slug}`, method: "PUT", body: input }),
      invalidatesTags: changed,
    }),
    deletePage: build.mutation<AnswerOf<typeof messageAnswer>, string>({
      query: (slug) => ({ url: `/pages/${slug}`, method: "DELETE" }),
      invalidatesTags: onSuccess("Pages"),
    }),
    // Runs a check of an unsaved monitor. A private page returns 404 to visitors without access.
    testHost: build.mutation<AnswerOf<typeof checkAnswer>, string>({
      query: (host) => ({
        url: "/monitors/test",
        method: "POST",
        body: {
          name: host,
          type: "http",
          url: `https://${host}/`,
          timeout: testSeconds,
          expectedStatus: "200,404",
          assertions: [{ source: "body", op: "contains", value: pageMark }],
        } satisfies MonitorInputDraft,
        timeout: testSeconds * 2000,
      }),
    }),
    createPageLink: build.mutation<
      AnswerOf<typeof pageLinkAnswer>,
      { slug: string; input: z.input<typeof pageLinkInput> }
    >({
      query: ({ slug, input }) => ({ url: `/pages/${slug}/links`, method: "POST", body: input }),
      invalidatesTags: changed,
    }),
    deletePageLink: build.mutation<AnswerOf<typeof messageAnswer>, { slug: string; id: number }>({
      query: ({ slug, id }) => ({ url: `/pages/${slug}/links/${id}`, method: "DELETE" }),
      invalidatesTags: changed,
    }),
    openPage: build.mutation<AnswerOf<typeof unlockAnswer>, { slug: string; host?: string | undefined }>({
      query: ({ slug, host }) => ({
        url: `/pages/${slug}/unlock`,
        method: "POST",
        body: {},
        params: host === undefined ? {} : { host },
      }),
    }),
  }),
});

export const {
  useStatusPageQuery,
  useCreatePageMutation,
  useSavePageMutation,
  useDeletePageMutation,
  useTestHostMutation,
  useCreatePageLinkMutation,
  useDeletePageLinkMutation,
  useOpenPageMutation,
} = pagesApi;

/** Slug of the selected page, from `?slug=`. `?page=` is the page number of lists. */
export const useChosenPage = (): string => useSearchParams()[0].get("slug") || defaultPage;

export function settingsPath(slug: string, tab?: string): string {
  const params = new URLSearchParams({ ...(slug !== defaultPage && { slug }), ...(tab !== undefined && { tab }) });
  return params.size === 0 ? paths.statusConfig : `${paths.statusConfig}?${params}`;
}
