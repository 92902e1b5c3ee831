import type { ManagedBy } from "@sonde/proto/http/config/managed";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Badge } from "../../ui/badge.tsx";
import { CodeIcon } from "../../ui/icons.tsx";

type Managed = ManagedBy | undefined;

/** Describes the source of a managed object and its place there. `undefined` if it is not managed. */
export function managedText(managed: Managed, t: TFunction): string | undefined {
  if (managed === undefined) return undefined;
  const { source, place } = managed;
  return place === undefined ? t("managed.by", { source }) : t("managed.byAt", { source, place });
}

/** Returns why a field is locked, or `undefined` if it is editable. */
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
