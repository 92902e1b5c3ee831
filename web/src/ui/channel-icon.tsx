import type { ChannelTypeName } from "@sonde/proto/http/channel-types";
import { BellIcon, icon } from "./icons.tsx";

const envelope = (
  <>
    <rect x="1.8" y="3.4" width="12.4" height="9.2" rx="1.4" />
    <path d="m2.4 4.4 5.6 4.4 5.6-4.4" />
  </>
);
const bubble = <path d="M2.2 3h11.6v7.6H7.4L4.4 13.4v-2.8H2.2z" />;

/** Marks of our own, no logos: what kind of place a message goes to. */
const icons: Partial<Record<ChannelTypeName, typeof BellIcon>> = {
  resend: icon(envelope),
  smtp: icon(
    <>
      {envelope}
      <path d="M5 10.4h6" />
    </>,
  ),
  slack: icon(<path d="M6.4 2.4 5 13.6M11 2.4 9.6 13.6M2.6 6h11M2.4 10h11" />),
  telegram: icon(<path d="M14 2.6 1.8 7.4l4 1.6 1.6 4.4 2-2.8 3 2.2zM5.8 9 14 2.6" />),
  webhook: icon(<path d="M5.2 4.4 1.8 8l3.4 3.6M10.8 4.4 14.2 8l-3.4 3.6M6 8h4" />),
  dingtalk: icon(
    <>
      {bubble}
      <path d="M8.8 4.8 7 6.8h2L7.2 8.8" />
    </>,
  ),
  wecom: icon(
    <path d="M6.2 2.6c2.6 0 4.6 1.5 4.6 3.5S8.8 9.6 6.2 9.6l-2.6 1.2.4-1.8C2.4 8.4 1.6 7.3 1.6 6.1c0-2 2-3.5 4.6-3.5zM12.2 6.8c1.4.5 2.2 1.5 2.2 2.6 0 1-.6 1.9-1.6 2.4l.2 1.6-2-1c-1.2 0-2.3-.3-3-.9" />,
  ),
  feishu: icon(
    <path d="M2 8.2c3.2 3.4 7.6 4.4 10.4 2.2L14.2 7c-1.4-.8-3-.6-4.2.4L7.6 9.6M4.6 3h4.8c1 1.2 1.6 2.6 1.8 4M4.6 3c1.6 1.6 2.8 3.4 3.8 5.4" />,
  ),
  discord: icon(
    <>
      <path d="M4.6 3.6c2.2-.8 4.6-.8 6.8 0 1.6 2.4 2.4 5 2.2 7.8-1 .8-2 1.2-3.2 1.4l-.8-1.4M4.6 3.6C3 6 2.2 8.6 2.4 11.4c1 .8 2 1.2 3.2 1.4l.8-1.4M5 11c2 .8 4 .8 6 0" />
      <path d="M6 8.2v.1M10 8.2v.1" />
    </>,
  ),
  ntfy: icon(
    <>
      {bubble}
      <path d="m5 5.4 1.6 1.4L5 8.2M8.6 8.4h2.4" />
    </>,
  ),
  pagerduty: icon(<path d="M4 11.4V8a4 4 0 0 1 8 0v3.4M2.6 13.4h10.8v-2H2.6zM8 1.4v1M2.4 4l.8.7M13.6 4l-.8.7" />),
  teams: icon(
    <>
      <rect x="1.8" y="4.4" width="7.2" height="7.2" rx="1.2" />
      <path d="M3.8 6.6h3.2M5.4 6.6v3M11.8 5.2a1.5 1.5 0 1 0-.1-3 1.5 1.5 0 0 0 .1 3zM11 7.4h3v3c0 1.6-1 2.6-2.6 2.6" />
    </>,
  ),
  matrix: icon(
    <path d="M4.4 2.4H2.4v11.2h2M11.6 2.4h2v11.2h-2M5.4 10.4V6.2M5.4 7.4c.4-.8 2.4-1.2 2.6.4v2.6M8 7.4c.4-.8 2.6-1.2 2.6.4v2.6" />,
  ),
  gotify: icon(
    <>
      <rect x="4" y="1.8" width="8" height="12.4" rx="1.6" />
      <path d="M6.2 8.6V7a1.8 1.8 0 0 1 3.6 0v1.6zM7.4 11.6h1.2" />
    </>,
  ),
};

/** The icon of a type of channel, a bell unless it has its own. Decoration: the type's name stands beside it. */
export function ChannelIcon({ type, className }: { type: ChannelTypeName; className?: string }) {
  const Icon = icons[type] ?? BellIcon;
  return <Icon className={className ?? "size-4"} />;
}
