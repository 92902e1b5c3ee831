import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { CertificateIcon, GlobeIcon, PlugIcon, PulseIcon, SignpostIcon } from "./icons.tsx";

/** The kinds with an icon of their own. */
const icons: Partial<Record<CheckType, typeof GlobeIcon>> = {
  http: GlobeIcon,
  tcp: PlugIcon,
  dns: SignpostIcon,
  tls: CertificateIcon,
};

/** The icon of a kind of check, a general one unless it has its own. Decoration: the target beside it shows the kind. */
export function KindIcon({ type, className }: { type: CheckType; className?: string }) {
  const Icon = icons[type] ?? PulseIcon;
  return <Icon className={className ?? "size-4"} />;
}
