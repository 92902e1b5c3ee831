import type { channelsAnswer } from "@sonde/proto/http/notifications/channels";
import type { notificationSettingsAnswer } from "@sonde/proto/http/notifications/settings";
import { type AnswerOf, api } from "../../app/api.ts";

export type AllSettings = AnswerOf<typeof notificationSettingsAnswer>;
export type Channels = AnswerOf<typeof channelsAnswer>["channels"];

const settingsApi = api.injectEndpoints({
  endpoints: (build) => ({
    settingsInForce: build.query<AllSettings, void>({
      query: () => "/notifications/settings",
      providesTags: ["NotificationSettings"],
    }),
    channelsInForce: build.query<Channels, void>({
      query: () => "/notifications/channels",
      transformResponse: ({ channels }: AnswerOf<typeof channelsAnswer>) => channels,
      providesTags: ["Channels"],
    }),
  }),
});

export const { useSettingsInForceQuery, useChannelsInForceQuery } = settingsApi;
