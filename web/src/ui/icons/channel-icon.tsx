import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import * as lucide from "lucide-react";
import { BellIcon } from "../icons.tsx";
import { icon } from "./icon.tsx";

/** No logos: the icon shows the category of the destination. */
const icons: Partial<Record<ChannelTypeName, typeof BellIcon>> = {
  resend: icon(lucide.Mail),
  smtp: icon(lucide.Mails),
  slack: icon(lucide.Hash),
  telegram: icon(lucide.Send),
  webhook: icon(lucide.Webhook),
  dingtalk: icon(lucide.Zap),
  wecom: icon(lucide.MessagesSquare),
  feishu: icon(lucide.Bird),
  discord: icon(lucide.Gamepad2),
  ntfy: icon(lucide.SquareTerminal),
  pagerduty: icon(lucide.Siren),
  teams: icon(lucide.UsersRound),
  matrix: icon(lucide.Brackets),
  gotify: icon(lucide.Smartphone),
  mattermost: icon(lucide.MessageSquare),
  rocketchat: icon(lucide.Rocket),
  googlechat: icon(lucide.MessageCircle),
  zulip: icon(lucide.MessagesSquare),
  pushover: icon(lucide.BellRing),
  bark: icon(lucide.Dog),
  serverchan: icon(lucide.Server),
  pushdeer: icon(lucide.Smartphone),
  twilio: icon(lucide.MessageSquareText),
  signal: icon(lucide.Signal),
  line: icon(lucide.MessageCircle),
  alertmanager: icon(lucide.Siren),
  "web-push": icon(lucide.Smartphone),
  "twilio-voice": icon(lucide.Phone),
  apprise: icon(lucide.Share2),
};

/** Icon of a channel type, or a bell. Decorative: the type's name is next to it. */
export function ChannelIcon({ type, className }: { type: ChannelTypeName; className?: string }) {
  const Icon = icons[type] ?? BellIcon;
  return <Icon className={className ?? "size-4"} />;
}
