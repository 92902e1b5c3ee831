import type { z } from "zod";
import type { ChannelType } from "./channels/channel.ts";
import { dingtalk } from "./channels/dingtalk.ts";
import { discord } from "./channels/discord.ts";
import { feishu } from "./channels/feishu.ts";
import { gotify } from "./channels/gotify.ts";
import { matrix } from "./channels/matrix.ts";
import { ntfy } from "./channels/ntfy.ts";
import { pagerduty } from "./channels/pagerduty.ts";
import { resend } from "./channels/resend.ts";
import { slack } from "./channels/slack.ts";
import { smtp } from "./channels/smtp.ts";
import { teams } from "./channels/teams.ts";
import { telegram } from "./channels/telegram.ts";
import { webhook } from "./channels/webhook.ts";
import { wecom } from "./channels/wecom.ts";
import type { Config } from "../monitors/checks/kind.ts";

/** Every type of channel, in the order of forms. A new one is its file in `channels/` and its line here. */
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
} as const;

export type ChannelTypeName = keyof typeof channelTypes;
export const channelTypeNames = Object.keys(channelTypes) as [ChannelTypeName, ...ChannelTypeName[]];

/** What a channel of one type is set to: defaults are there, what may be absent may be. */
export type ChannelConfig<Type extends ChannelTypeName> = Config<(typeof channelTypes)[Type]["fields"]>;

/** A type as code that serves all of them sees it. */
type AnyChannelType = ChannelType<ChannelTypeName, z.ZodRawShape>;

/** What is known of a type. The configuration that its functions are given is of that type. */
export function channelTypeOf(type: ChannelTypeName): AnyChannelType {
  return channelTypes[type] as unknown as AnyChannelType;
}
