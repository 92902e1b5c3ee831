import type { ManagedBy } from "@sonde/proto/http/config/managed";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Badge } from "../../ui/badge.tsx";
import { CodeIcon } from "../../ui/icons.tsx";

type Managed = ManagedBy | undefined;

/** Who owns something, and where it lies; undefined where people do. */
export function managedText(managed: Managed, t: TFunction): string | undefined {
  if (managed === undefined) return undefined;
  const { source, place } = managed;
  return place === undefined ? t("managed.by", { source }) : t("managed.byAt", { source, place });
}

/** Why one of its fields cannot be changed; undefined where it can. */
export function lockOf(managed: Managed, field: string, t: TFunction): string | undefined {
  return managed?.fields.includes(field) === true ? managedText(managed, t) : undefined;
}

export function ManagedBadge({ managed }: { managed: Managed }) {
  const { t } = useTranslation();
  if (managed === undefined) return null;
  const { source, place } = managed;
  return (
    <span title={managedText(managed, t)} className="inline-flex max-w-full min-w-0">
      <Badge icon={CodeIcon}>
        <span className="max-w-full shrink-0 truncate">{t("managed.from", { source })}</span>
        {place !== undefined && <span className="min-w-0 truncate font-mono text-[11px]">{place}</span>}
      </Badge>
    </span>
  );
}
