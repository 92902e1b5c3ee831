import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import * as lucide from "lucide-react";
import { icon, PulseIcon, ServerIcon } from "../icons.tsx";

const DatabaseIcon = icon(lucide.Database);
const icons: Partial<Record<CheckType, typeof PulseIcon>> = {
  domain: icon(lucide.CalendarClock),
  websocket: icon(lucide.Cable),
  grpc: ServerIcon,
  flow: icon(lucide.ListOrdered),
  mail: icon(lucide.Mail),
  postgres: DatabaseIcon,
  mysql: DatabaseIcon,
  redis: icon(lucide.Layers),
  heartbeat: icon(lucide.HeartPulse),
};

/** The icon of a kind that no first screen waits for. */
export default function OtherKindIcon({ type, className }: { type: CheckType; className: string }) {
  const Icon = icons[type] ?? PulseIcon;
  return <Icon className={className} />;
}
