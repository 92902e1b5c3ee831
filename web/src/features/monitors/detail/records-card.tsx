import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { usePolling } from "../../../app/hooks.ts";
import { Loaded } from "../../../app/screen.tsx";
import { Card } from "../../../ui/card.tsx";
import { IncidentList } from "../../../ui/health/incident-list.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useMonitorIncidentsQuery } from "../api.ts";
import { ChecksTable } from "./checks-table.tsx";
import type { DetailParams } from "./detail-params.ts";
import { HistoryTable } from "../history/history-table.tsx";

/** The records behind the pictures: steps of the history, single checks, incidents. */
export function RecordsCard({ id, params }: { id: number; params: DetailParams }) {
  const { t } = useTranslation();
  const { range, tab, failed, change } = params;
  const checks = (
    <ChecksTable
      id={id}
      failed={failed === "true"}
      onFailed={(only) => change({ failed: only ? "true" : undefined })}
    />
  );
  return (
    <Card>
      <Tabs
        label={t("monitor.view")}
        value={tab}
        onChange={(next) => change({ tab: next })}
        tabs={[
          { value: "history", label: t("monitor.table"), content: <HistoryTable key={range} id={id} range={range} /> },
          { value: "checks", label: t("monitor.recentChecks"), content: checks },
          { value: "incidents", label: t("incidents.title"), content: <MonitorIncidents id={id} /> },
        ]}
      />
    </Card>
  );
}

function MonitorIncidents({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useMonitorIncidentsQuery(id, { pollingInterval: usePolling() });
  return (
    <Loaded query={query} fallback="fetchData" placeholder={<Skeleton className="h-24 w-full" />} header={null}>
      {({ incidents }) =>
        incidents.length === 0 ? (
          <EmptyState title={t("incidents.none")} />
        ) : (
          <div className="-mx-4 -mt-3 md:-mx-5">
            <IncidentList incidents={incidents} pageOf={paths.incident} />
          </div>
        )
      }
    </Loaded>
  );
}
