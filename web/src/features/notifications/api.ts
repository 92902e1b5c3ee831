import type { messageAnswer } from "@sonde/proto/http/auth";
import type { deliveriesAnswer, deliveriesQuery } from "@sonde/proto/http/notifications/deliveries";
import type {
  channelAnswer,
  ChannelInput,
  ChannelPatch,
  channelsAnswer,
  channelTestAnswer,
} from "@sonde/proto/http/notifications/channels";
import type { AgentSettings, MonitorSettings, SettingScope } from "@sonde/proto/http/notifications/settings";
import type {
  templateAnswer,
  templateInput,
  templatePreviewAnswer,
  templatePreviewInput,
  templatesAnswer,
} from "@sonde/proto/http/notifications/templates";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { z } from "zod";
import type { AllSettings } from "../../app/notifications/api.ts";
import { type AnswerOf, type QueryOf, api } from "../../app/api.ts";
import { keepChannelsLive, keepDeliveriesLive, keepSettingsLive } from "./live.ts";

export type NextReminder = NonNullable<AllSettings["nextReminder"]>;
/** A monitor or an agent, as far as these screens name it. */
export type TargetName = TargetRef & { name: string };
/** Whose settings: those for all, or those of one. */
export type SettingsOwner = { scope: SettingScope; targetId?: number | undefined };
type Body<Schema extends z.ZodType> = z.input<Schema>;

/** The server waits 15 s for the provider and adds what its own parts may need; the web app waits 5 s more. */
const testTimeoutMs = 25_000;

const settingsUrl = ({ scope, targetId }: SettingsOwner) =>
  `/notifications/settings/${scope}${targetId === undefined ? "" : `/${targetId}`}`;

export const notificationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    channels: build.query<AnswerOf<typeof channelsAnswer>, void>({
      query: () => "/notifications/channels",
      providesTags: ["Channels"],
      onCacheEntryAdded: keepChannelsLive,
    }),
    createChannel: build.mutation<AnswerOf<typeof channelAnswer>, ChannelInput>({
      query: (body) => ({ url: "/notifications/channels", method: "POST", body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["Channels"] : []),
    }),
    updateChannel: build.mutation<AnswerOf<typeof channelAnswer>, { id: number; patch: ChannelPatch }>({
      query: ({ id, patch }) => ({ url: `/notifications/channels/${id}`, method: "PUT", body: patch }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["Channels"] : []),
    }),
    deleteChannel: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/notifications/channels/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["Channels", "NotificationSettings"] : []),
    }),
    testChannel: build.mutation<AnswerOf<typeof channelTestAnswer>, number>({
      query: (id) => ({ url: `/notifications/channels/${id}/test`, method: "POST", timeout: testTimeoutMs }),
      invalidatesTags: ["Channels", "Deliveries"],
    }),
    notificationSettings: build.query<AllSettings, void>({
      query: () => "/notifications/settings",
      providesTags: ["NotificationSettings"],
      onCacheEntryAdded: keepSettingsLive,
    }),
    saveSettings: build.mutation<
      AnswerOf<typeof messageAnswer> & { settings: MonitorSettings | AgentSettings },
      SettingsOwner & { settings: object }
    >({
      query: ({ settings, ...owner }) => ({ url: settingsUrl(owner), method: "PUT", body: settings }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["NotificationSettings"] : []),
    }),
    removeSettings: build.mutation<AnswerOf<typeof messageAnswer>, SettingsOwner>({
      query: (owner) => ({ url: settingsUrl(owner), method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["NotificationSettings"] : []),
    }),
    templates: build.query<AnswerOf<typeof templatesAnswer>, void>({
      query: () => "/notifications/templates",
      providesTags: ["Templates"],
    }),
    createTemplate: build.mutation<AnswerOf<typeof templateAnswer>, Body<typeof templateInput>>({
      query: (body) => ({ url: "/notifications/templates", method: "POST", body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["Templates"] : []),
    }),
    updateTemplate: build.mutation<AnswerOf<typeof templateAnswer>, { id: number; input: Body<typeof templateInput> }>({
      query: ({ id, input }) => ({ url: `/notifications/templates/${id}`, method: "PUT", body: input }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["Templates"] : []),
    }),
    deleteTemplate: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/notifications/templates/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["Templates", "NotificationSettings"] : []),
    }),
    // A question although it is a POST: it changes nothing, and the same text has the same preview.
    templatePreview: build.query<AnswerOf<typeof templatePreviewAnswer>, Body<typeof templatePreviewInput>>({
      query: (body) => ({ url: "/notifications/templates/preview", method: "POST", body }),
      keepUnusedDataFor: 10,
    }),
    deliveries: build.query<AnswerOf<typeof deliveriesAnswer>, QueryOf<typeof deliveriesQuery>>({
      query: (params) => ({ url: "/notifications/deliveries", params }),
      providesTags: ["Deliveries"],
      onCacheEntryAdded: keepDeliveriesLive,
    }),
  }),
});

export const {
  useChannelsQuery,
  useCreateChannelMutation,
  useUpdateChannelMutation,
  useDeleteChannelMutation,
  useTestChannelMutation,
  useNotificationSettingsQuery,
  useSaveSettingsMutation,
  useRemoveSettingsMutation,
  useTemplatesQuery,
  useCreateTemplateMutation,
  useUpdateTemplateMutation,
  useDeleteTemplateMutation,
  useTemplatePreviewQuery,
  useLazyTemplatePreviewQuery,
  useDeliveriesQuery,
} = notificationsApi;
