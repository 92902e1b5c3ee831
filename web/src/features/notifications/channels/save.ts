import type { ChannelInput } from "@sonde/proto/http/notifications/channels";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useAppDispatch } from "../../../app/hooks.ts";
import { currentLanguage } from "../../../app/i18n.ts";
import { toast } from "../../../ui/alert.tsx";
import { notificationsApi, useCreateChannelMutation, useSaveSettingsMutation, useTestChannelMutation } from "../api.ts";

export type AfterSaving = { useGlobally: boolean; test: boolean };

export function useAddToGlobal(): (channelId: number) => Promise<void> {
  const dispatch = useAppDispatch();
  const [save] = useSaveSettingsMutation();
  return async (channelId) => {
    const query = dispatch(
      notificationsApi.endpoints.notificationSettings.initiate(undefined, { forceRefetch: true, subscribe: false }),
    );
    const { globalMonitor, globalAgent } = await query.unwrap();
    const scopes = [
      ["global-monitor", globalMonitor],
      ["global-agent", globalAgent],
    ] as const;
    for (const [scope, settings] of scopes) {
      if (settings.channels.includes(channelId)) continue;
      const channels = [...settings.channels, channelId];
      // The default language is that of the user who sets up notifications.
      const language = settings.language ?? currentLanguage();
      await save({ scope, settings: { ...settings, channels, language } }).unwrap();
    }
  };
}

/** Shared by all components, so that the card shows a test started anywhere. */
const testKey = (channelId: number) => `test of channel ${channelId}`;

export const useChannelTest = (channelId: number) => useTestChannelMutation({ fixedCacheKey: testKey(channelId) });

export function useStartTest(): (channelId: number) => void {
  const dispatch = useAppDispatch();
  return (channelId) => {
    const { testChannel } = notificationsApi.endpoints;
    void dispatch(testChannel.initiate(channelId, { fixedCacheKey: testKey(channelId) }));
  };
}

/** Creates a channel and then runs `after`. Returns the success message. @throws if the channel was not created. */
export function useCreateChannel(): (input: ChannelInput, after: AfterSaving) => Promise<string> {
  const { t } = useTranslation();
  const [create] = useCreateChannelMutation();
  const addToGlobal = useAddToGlobal();
  const startTest = useStartTest();
  return async (input, { useGlobally, test }) => {
    const { channel, message } = await create(input).unwrap();
    if (test) startTest(channel.id);
    if (useGlobally) {
      await addToGlobal(channel.id).catch((reason: unknown) => {
        toast("error", t("channels.settingsNotSaved", { reason: errorText(reason, "saveSettings") }));
      });
    }
    return message ?? t("channels.created");
  };
}
