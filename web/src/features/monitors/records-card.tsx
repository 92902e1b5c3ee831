import type { HistoryRange } from "@sonde/proto/http/checks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { Card } from "../../ui/card.tsx";
import { IncidentList } from "../../ui/incident-list.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useMonitorIncidentsQuery } from "./api.ts";
import { ChecksTable } from "./checks-table.tsx";
import { HistoryTable } from "./history-table.tsx";

type View = "history" | "checks" | "incidents";

/** The records behind the pictures: steps of the history, single checks, incidents. */
export function RecordsCard({ id, range }: { id: number; range: HistoryRange }) {
  const { t } = useTranslation();
  const [view, setView] = useState<View>("history");
  return (
    <Card>
      <Tabs
        label={t("monitor.view")}
        value={view}
        onChange={setView}
        tabs={[
          { value: "history", label: t("monitor.table"), content: <HistoryTable id={id} range={range} /> },
          { value: "checks", label: t("monitor.recentChecks"), content: <ChecksTable id={id} /> },
          { value: "incidents", label: t("incidents.title"), content: <MonitorIncidents id={id} /> },
        ]}
      />
    </Card>
  );
}

function MonitorIncidents({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useMonitorIncidentsQuery(id, { pollingInterval: usePolling() });
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton className="h-24 w-full" />
    ) : (
      <ErrorState message={errorText(error, "fetchData")} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  if (data.incidents.length === 0) return <EmptyState title={t("incidents.none")} />;
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <IncidentList incidents={data.incidents} pageOf={paths.incident} />
    </div>
  );
}
