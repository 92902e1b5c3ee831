import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { usePolling } from "../../../app/hooks.ts";
import { Loaded } from "../../../app/screen.tsx";
import { Card } from "../../../ui/card.tsx";
import { CheckIcon } from "../../../ui/icons.tsx";
import { IncidentList } from "../../../ui/health/incident-list.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { useAgentIncidentsQuery } from "../api.ts";

/** When it was silent or beyond a threshold. */
export function IncidentsCard({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useAgentIncidentsQuery(id, { pollingInterval: usePolling() });
  const placeholder = (
    <div className="p-5">
      <Skeleton className="h-24 w-full" />
    </div>
  );
  return (
    <Card title={t("incidents.title")} flush>
      <Loaded query={query} fallback="fetchData" placeholder={placeholder} header={null}>
        {({ incidents }) =>
          incidents.length === 0 ? (
            <EmptyState icon={<CheckIcon />} title={t("incidents.none")} className="py-9">
              {t("agent.noIncidentsText")}
            </EmptyState>
          ) : (
            <IncidentList incidents={incidents} pageOf={paths.incident} />
          )
        }
      </Loaded>
    </Card>
  );
}
