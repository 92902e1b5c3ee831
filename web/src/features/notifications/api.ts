import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  deliveriesAnswer,
  deliveriesQuery,
  unsentAnswer,
  unsentQuery,
} from "@sonde/proto/http/notifications/deliveries";
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
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import { keepRefetched } from "../../app/live/events.ts";
import { onSuccess, post, put, remove } from "../../app/mutations.ts";
import type { AllSettings } from "../../entities/notifications/api.ts";

export type NextReminder = NonNullable<AllSettings["nextReminder"]>;
export type TargetName = TargetRef & { name: string };
export type SettingsOwner = { scope: SettingScope; targetId?: number | undefined };
type Body<Schema extends z.ZodType> = z.input<Schema>;

/** The server waits 15 s for the provider, plus a margin for its services. This adds 5 s. */
const testTimeoutMs = 25_000;

/** Minimum intervals between refetches after live events. */
const deliveriesEveryMs = 1500;
const channelsEveryMs = 3000;
const settingsEveryMs = 5000;

const settingsUrl = ({ scope, targetId }: SettingsOwner) =>
  `/notifications/settings/${scope}${targetId === undefined ? "" : `/${targetId}`}`;

export const notificationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    channels: build.query<AnswerOf<typeof channelsAnswer>, void>({
      query: () => "/notifications/channels",
      providesTags: ["Channels"],
      onCacheEntryAdded: keepRefetched(
        () => "Channels",
        ({ name }) => (name === "delivery" ? channelsEveryMs : null),
      ),
    }),
    createChannel: build.mutation<AnswerOf<typeof channelAnswer>, ChannelInput>(
      post("/notifications/channels", "Channels"),
    ),
    updateChannel: build.mutation<AnswerOf<typeof channelAnswer>, { id: number; input: ChannelPatch }>(
      put("/notifications/channels", "Channels"),
    ),
    deleteChannel: build.mutation<AnswerOf<typeof messageAnswer>, number>(
      remove("/notifications/channels", "Channels", "NotificationSettings"),
    ),
    testChannel: build.mutation<AnswerOf<typeof channelTestAnswer>, number>({
      query: (id) => ({ url: `/notifications/channels/${id}/test`, method: "POST", timeout: testTimeoutMs }),
      invalidatesTags: ["Channels", "Deliveries"],
    }),
    notificationSettings: build.query<AllSettings, void>({
      query: () => "/notifications/settings",
      providesTags: ["NotificationSettings"],
      // Incidents and deliveries change the next reminder.
      onCacheEntryAdded: keepRefetched(
        () => "NotificationSettings",
        ({ name }) => (name === "incident" || name === "delivery" ? settingsEveryMs : null),
      ),
    }),
    saveSettings: build.mutation<
      AnswerOf<typeof messageAnswer> & { settings: MonitorSettings | AgentSettings },
      SettingsOwner & { settings: object }
    >({
      query: ({ settings, ...owner }) => ({ url: settingsUrl(owner), method: "PUT", body: settings }),
      invalidatesTags: onSuccess("NotificationSettings"),
    }),
    removeSettings: build.mutation<AnswerOf<typeof messageAnswer>, SettingsOwner>({
      query: (owner) => ({ url: settingsUrl(owner), method: "DELETE" }),
      invalidatesTags: onSuccess("NotificationSettings"),
    }),
    templates: build.query<AnswerOf<typeof templatesAnswer>, void>({
      query: () => "/notifications/templates",
      providesTags: ["Templates"],
    }),
    createTemplate: build.mutation<AnswerOf<typeof templateAnswer>, Body<typeof templateInput>>(
      post("/notifications/templates", "Templates"),
    ),
    updateTemplate: build.mutation<AnswerOf<typeof templateAnswer>, { id: number; input: Body<typeof templateInput> }>(
      put("/notifications/templates", "Templates"),
    ),
    deleteTemplate: build.mutation<AnswerOf<typeof messageAnswer>, number>(
      remove("/notifications/templates", "Templates", "NotificationSettings"),
    ),
    // A query despite POST: it changes nothing, so results can be cached.
    templatePreview: build.query<AnswerOf<typeof templatePreviewAnswer>, Body<typeof templatePreviewInput>>({
      query: (body) => ({ url: "/notifications/templates/preview", method: "POST", body }),
      keepUnusedDataFor: 10,
    }),
    unsent: build.query<AnswerOf<typeof unsentAnswer>, QueryOf<typeof unsentQuery>>({
      query: (params) => ({ url: "/notifications/unsent", params }),
      providesTags: ["Deliveries"],
      onCacheEntryAdded: keepRefetched(
        () => "Deliveries",
        ({ name }) => (name === "incident" || name === "delivery" ? deliveriesEveryMs : null),
      ),
    }),
    deliveries: build.query<AnswerOf<typeof deliveriesAnswer>, QueryOf<typeof deliveriesQuery>>({
      query: (params) => ({ url: "/notifications/deliveries", params }),
      providesTags: ["Deliveries"],
      onCacheEntryAdded: keepRefetched(
        () => "Deliveries",
        ({ name }) => (name === "delivery" ? deliveriesEveryMs : null),
      ),
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
  useUnsentQuery,
} = notificationsApi;
