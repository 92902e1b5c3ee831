import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { Badge } from "./badge.tsx";
import { CheckIcon, CrossIcon, DashIcon, EyeIcon } from "./icons.tsx";

type Shown = Pick<Incident, "kind" | "closedAt" | "resolution" | "acknowledgedAt">;

/** How an incident is: it is open, acknowledged, or how it ended. */
export function IncidentBadge({ incident, className }: { incident: Shown; className?: string }) {
  const { t } = useTranslation();
  const { kind, closedAt, resolution, acknowledgedAt } = incident;
  if (closedAt !== undefined) {
    return (
      <Badge className={className}>
        <CheckIcon className="size-3" />
        {resolution === undefined ? t("incidents.resolved") : t(`incidents.resolution.${resolution}`)}
      </Badge>
    );
  }
  if (acknowledgedAt !== undefined) {
    return (
      <Badge tone="warn" className={className}>
        <EyeIcon className="size-3" />
        {t("incidents.acknowledged")}
      </Badge>
    );
  }
  const Icon = kind === "stale" ? DashIcon : CrossIcon;
  return (
    <Badge tone={kind === "stale" ? "warn" : "down"} className={className}>
      <Icon className="size-3" />
      {t("incidents.ongoing")}
    </Badge>
  );
}
