import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { Card } from "../../ui/card.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { IncidentList } from "../../ui/incident-list.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { useAgentIncidentsQuery } from "./api.ts";

/** When it was silent or beyond a threshold. */
export function IncidentsCard({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useAgentIncidentsQuery(id, { pollingInterval: usePolling() });
  return (
    <Card title={t("incidents.title")} flush>
      {data === undefined ? (
        error === undefined ? (
          <div className="p-5">
            <Skeleton className="h-24 w-full" />
          </div>
        ) : (
          <ErrorState message={errorText(error, "fetchData")} onRetry={() => void refetch()} retrying={isFetching} />
        )
      ) : data.incidents.length === 0 ? (
        <EmptyState icon={<CheckIcon />} title={t("incidents.none")} className="py-9">
          {t("agent.noIncidentsText")}
        </EmptyState>
      ) : (
        <IncidentList incidents={data.incidents} pageOf={paths.incident} />
      )}
    </Card>
  );
}
