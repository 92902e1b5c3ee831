import type { AlertSeverity } from "@sonde/proto/http/monitors/inbound";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../../ui/badge.tsx";
import { ExternalIcon } from "../../ui/icons.tsx";

const tones = { critical: "down", warning: "warn", info: "plain" } as const;

/** Severity of an alert from another system. */
export function SeverityBadge({ severity }: { severity: AlertSeverity | undefined }) {
  const { t } = useTranslation();
  return severity === undefined ? null : <Badge tone={tones[severity]}>{t(`incident.severities.${severity}`)}</Badge>;
}

type SourceLinkProps = { link: string | undefined; children?: ReactNode };

/** Opens an alert or a change in the other system, which chose the address: the server accepts only http and https. */
export function SourceLink({ link, children }: SourceLinkProps) {
  const { t } = useTranslation();
  if (link === undefined) return null;
  return (
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex min-h-6 items-center gap-1 text-accent-strong hover:underline"
    >
      {children ?? t("incident.atSource")}
      <ExternalIcon className="size-3.5 shrink-0" />
    </a>
  );
}
