import type {
  announcementAnswer,
  announcementInput,
  announcementPatch,
  announcementsAnswer,
  announcementsQuery,
  announcementUpdateInput,
  Announcement,
} from "@sonde/proto/http/status/announcements";
import type { messageAnswer } from "@sonde/proto/http/auth";
import type { incidentStoryAnswer } from "@sonde/proto/http/incidents/incidents";
import type { statusConfigAnswer } from "@sonde/proto/http/status/config";
import type { z } from "zod";
import { type AnswerOf, type QueryOf, api } from "../../app/api.ts";
import { post, remove } from "../../app/mutations.ts";

export type PageConfig = AnswerOf<typeof statusConfigAnswer>["config"];
type Body<Schema extends z.ZodType> = z.input<Schema>;
type Changed = AnswerOf<typeof announcementAnswer>;

const announcementsApi = api.enhanceEndpoints({ addTagTypes: ["Announcement", "AnnouncementList"] }).injectEndpoints({
  endpoints: (build) => ({
    announcements: build.query<AnswerOf<typeof announcementsAnswer>, QueryOf<typeof announcementsQuery>>({
      query: (params) => ({ url: "/announcements", params }),
      providesTags: ["AnnouncementList"],
    }),
    announcement: build.query<Announcement, number>({
      query: (id) => `/announcements/${id}`,
      transformResponse: ({ announcement }: Changed) => announcement,
      providesTags: (_answer, _error, id) => [{ type: "Announcement", id }],
    }),
    announce: build.mutation<Changed, Body<typeof announcementInput>>(post("/announcements", "AnnouncementList")),
    updateAnnouncement: build.mutation<Changed, { id: number; input: Body<typeof announcementPatch> }>({
      query: ({ id, input }) => ({ url: `/announcements/${id}`, method: "PUT", body: input }),
      invalidatesTags: changedTags,
    }),
    postUpdate: build.mutation<Changed, { id: number; input: Body<typeof announcementUpdateInput> }>({
      query: ({ id, input }) => ({ url: `/announcements/${id}/updates`, method: "POST", body: input }),
      invalidatesTags: changedTags,
    }),
    removeAnnouncement: build.mutation<AnswerOf<typeof messageAnswer>, number>(
      remove("/announcements", "AnnouncementList"),
    ),
    announcedIncident: build.query<AnswerOf<typeof incidentStoryAnswer>["incident"], string>({
      query: (id) => `/incidents/${id}`,
      transformResponse: ({ incident }: AnswerOf<typeof incidentStoryAnswer>) => incident,
    }),
    pageContents: build.query<PageConfig, void>({
      query: () => "/status/config",
      transformResponse: ({ config }: AnswerOf<typeof statusConfigAnswer>) => config,
    }),
  }),
});

function changedTags(_answer: Changed | undefined, error: unknown, { id }: { id: number }) {
  return error === undefined ? [{ type: "Announcement" as const, id }, "AnnouncementList" as const] : [];
}

export const {
  useAnnouncementsQuery,
  useAnnouncementQuery,
  useAnnounceMutation,
  useUpdateAnnouncementMutation,
  usePostUpdateMutation,
  useRemoveAnnouncementMutation,
  useAnnouncedIncidentQuery,
  usePageContentsQuery,
} = announcementsApi;
