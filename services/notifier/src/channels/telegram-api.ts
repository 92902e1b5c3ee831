import type { ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import { below } from "./outcome.ts";

/** The address of a bot's methods, which contains its token. */
export const telegramApi = ({ apiBaseUrl = "https://api.telegram.org", botToken }: ChannelConfig<"telegram">): string =>
  below(apiBaseUrl, `/bot${botToken}`);
