import type { z } from "zod";
import type { ChannelType } from "./channels/channel.ts";
import { alertmanager } from "./channels/alertmanager.ts";
import { apprise } from "./channels/apprise.ts";
import { discord } from "./channels/chat/discord.ts";
import { googlechat } from "./channels/chat/googlechat.ts";
import { matrix } from "./channels/chat/matrix.ts";
import { mattermost } from "./channels/chat/mattermost.ts";
import { rocketchat } from "./channels/chat/rocketchat.ts";
import { slack } from "./channels/chat/slack.ts";
import { teams } from "./channels/chat/teams.ts";
import { zulip } from "./channels/chat/zulip.ts";
import { dingtalk } from "./channels/dingtalk.ts";
import { feishu } from "./channels/feishu.ts";
import { line } from "./channels/line.ts";
import { pagerduty } from "./channels/pagerduty.ts";
import { bark } from "./channels/push/bark.ts";
import { gotify } from "./channels/push/gotify.ts";
import { ntfy } from "./channels/push/ntfy.ts";
import { pushdeer } from "./channels/push/pushdeer.ts";
import { pushover } from "./channels/push/pushover.ts";
import { serverchan } from "./channels/push/serverchan.ts";
import { webPush } from "./channels/push/web-push.ts";
import { resend } from "./channels/resend.ts";
import { signal } from "./channels/signal.ts";
import { smtp } from "./channels/smtp.ts";
import { telegram } from "./channels/telegram.ts";
import { twilioVoice } from "./channels/twilio-voice.ts";
import { twilio } from "./channels/twilio.ts";
import { webhook } from "./channels/webhook.ts";
import { wecom } from "./channels/wecom.ts";
import type { Config } from "../monitors/checks/kind.ts";

/** Every type of channel that a team can add, in form order. A new type needs a file in `channels/` or a subfolder, and a line here. */
export const channelTypes = {
  resend,
  slack,
  telegram,
  webhook,
  dingtalk,
  wecom,
  feishu,
  smtp,
  discord,
  ntfy,
  pagerduty,
  teams,
  matrix,
  gotify,
  mattermost,
  rocketchat,
  googlechat,
  zulip,
  pushover,
  bark,
  serverchan,
  pushdeer,
  twilio,
  signal,
  line,
  alertmanager,
  apprise,
} as const;

/** Also types that only exist as a person's contact, and are never added by hand. */
export const allChannelTypes = { ...channelTypes, "web-push": webPush, "twilio-voice": twilioVoice } as const;

export type TeamChannelTypeName = keyof typeof channelTypes;
export type ChannelTypeName = keyof typeof allChannelTypes;
export const channelTypeNames = Object.keys(channelTypes) as [TeamChannelTypeName, ...TeamChannelTypeName[]];
export const allChannelTypeNames = Object.keys(allChannelTypes) as [ChannelTypeName, ...ChannelTypeName[]];

/** Configuration of one type, including defaults. */
export type ChannelConfig<Type extends ChannelTypeName> = Config<(typeof allChannelTypes)[Type]["fields"]>;

/** A type as seen by generic code. */
type AnyChannelType = ChannelType<ChannelTypeName, z.ZodRawShape>;

/** Returns a type. Its functions only accept configurations of that type. */
export function channelTypeOf(type: ChannelTypeName): AnyChannelType {
  return allChannelTypes[type] as unknown as AnyChannelType;
}
