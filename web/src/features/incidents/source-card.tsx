import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { SeverityBadge, SourceLink } from "../../entities/incidents/severity.tsx";
import { Card } from "../../ui/card.tsx";

/** What the other system says about its alert. */
export function SourceCard({ incident: { severity, link, labels = {} } }: { incident: Incident }) {
  const { t } = useTranslation();
  if (severity === undefined) return null;
  const names = Object.keys(labels).toSorted();
  return (
    <Card title={t("incident.source")} gap="gap-3">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <SeverityBadge severity={severity} />
        <SourceLink link={link} />
      </p>
      {names.length > 0 && (
        <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-4 gap-y-1 text-[13px]">
          {names.map((name) => (
            <div key={name} className="contents">
              <dt className="break-words text-muted">{name}</dt>
              <dd className="font-mono break-words">{labels[name]}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
