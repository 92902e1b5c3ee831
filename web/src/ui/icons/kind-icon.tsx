import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import * as lucide from "lucide-react";
import { icon } from "./icon.tsx";

const GeneralIcon = icon(lucide.Activity);
const DatabaseIcon = icon(lucide.Database);
const icons: Partial<Record<CheckType, typeof GeneralIcon>> = {
  domain: icon(lucide.CalendarClock),
  websocket: icon(lucide.Cable),
  grpc: icon(lucide.Server),
  flow: icon(lucide.ListOrdered),
  mail: icon(lucide.Mail),
  postgres: DatabaseIcon,
  mysql: DatabaseIcon,
  redis: icon(lucide.Layers),
  heartbeat: icon(lucide.HeartPulse),
  inbound: icon(lucide.BellRing),
  group: icon(lucide.Boxes),
};

export default function OtherKindIcon({ type, className }: { type: CheckType; className: string }) {
  const Icon = icons[type] ?? GeneralIcon;
  return <Icon className={className} />;
}
