import type { CheckType } from "@sonde/proto/http/kinds";
import { CertificateIcon, GlobeIcon, PlugIcon, SignpostIcon } from "./icons.tsx";

const icons: Record<CheckType, typeof GlobeIcon> = {
  http: GlobeIcon,
  tcp: PlugIcon,
  dns: SignpostIcon,
  tls: CertificateIcon,
};

/** The icon of a kind of check. Decoration, as all icons are: the target beside it says the kind. */
export function KindIcon({ type, className }: { type: CheckType; className?: string }) {
  const Icon = icons[type];
  return <Icon className={className ?? "size-4"} />;
}
