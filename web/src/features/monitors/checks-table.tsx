import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { usePolling } from "../../app/polling.ts";
import { formatDuration } from "../../lib/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { MaintenanceBadge } from "../../ui/maintenance-badge.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Cell, HeadCell, Row, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useChecksQuery } from "./api.ts";
import { Reason } from "../../ui/reason.tsx";

const checksShown = 30;

/** The latest single results. */
export function ChecksTable({ id }: { id: number }) {
  const { t, i18n } = useTranslation();
  const { data, error, isFetching, refetch } = useChecksQuery(
    { id, limit: checksShown },
    { pollingInterval: usePolling() },
  );
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton className="h-72 w-full" />
    ) : (
      <ErrorState message={errorText(error, "fetchMonitors")} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  if (data.checks.length === 0) return <EmptyState title={t("monitor.noRecords")} />;
  return (
    <div className="-mx-4 -mt-3 -mb-2 md:-mx-5">
      <Table label={t("monitor.recentChecks")}>
        <thead>
          <tr>
            <HeadCell>{t("monitor.time")}</HeadCell>
            <HeadCell>{t("monitors.status")}</HeadCell>
            <HeadCell numeric>{t("monitors.responseTime")}</HeadCell>
            <HeadCell numeric>{t("monitor.statusCode")}</HeadCell>
            <HeadCell>{t("monitor.location")}</HeadCell>
            <HeadCell>{t("monitor.error")}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {data.checks.map((check) => (
            <Row key={`${check.startedAt} ${check.location} ${check.attempt}`}>
              <Cell className="whitespace-nowrap">
                <Time at={check.startedAt} /> {check.manual && <Badge>{t("monitor.manual")}</Badge>}{" "}
                <MaintenanceBadge when={check.inMaintenance} />
              </Cell>
              <Cell>
                <StatusBadge state={check.status} wording="detail" />
              </Cell>
              <Cell numeric>{formatDuration(check.responseTime, i18n.language)}</Cell>
              <Cell numeric>{check.statusCode ?? "–"}</Cell>
              <Cell>{check.location}</Cell>
              <Cell className="min-w-48 text-down-ink">
                <Reason text={check.error?.message} />
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
