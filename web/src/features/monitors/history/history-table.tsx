import type { HistoryBucket, HistoryRange } from "@sonde/proto/http/monitors/checks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { formatDateTime, formatDuration, formatNumber, formatPercent, formatLocalDate } from "../../../lib/format.ts";
import { Button } from "../../../ui/button.tsx";
import { MaintenanceBadge } from "../../../ui/badge.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { Cell, HeadCell, Row, Table } from "../../../lists/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { useHistoryQuery } from "../api.ts";
import { Reason } from "../../../ui/health/reason.tsx";

const rowsAtFirst = 12;

/** The steps of a history as rows, newest first. Steps in which nothing was due are left out; missed ones are marked. */
export function HistoryTable({ id, range }: { id: number; range: HistoryRange }) {
  const { t } = useTranslation();
  const { currentData, error, isFetching, refetch } = useHistoryQuery({ id, range });
  const [shown, setShown] = useState(rowsAtFirst);
  if (currentData === undefined) {
    return error === undefined ? (
      <Skeleton className="h-72 w-full" />
    ) : (
      <ErrorState message={errorText(error, "fetchMonitors")} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  const due = currentData.buckets
    .filter(({ checks, coverage, inMaintenance }) => checks > 0 || coverage !== null || inMaintenance === true)
    .toReversed();
  if (due.length === 0) return <EmptyState title={t("monitor.noRecords")} />;
  const isDays = currentData.step >= 86_400;
  const rest = due.length - shown;
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <Table label={t("monitor.table")}>
        <thead>
          <tr>
            <HeadCell>{isDays ? `${t("monitor.time")} (${currentData.timeZone})` : t("monitor.time")}</HeadCell>
            <HeadCell numeric>{t("monitors.responseTime")}</HeadCell>
            <HeadCell numeric>{t("monitor.records")}</HeadCell>
            <HeadCell numeric>{t("monitor.availability")}</HeadCell>
            <HeadCell>{t("monitor.latestRecord")}</HeadCell>
            <HeadCell>{t("monitor.error")}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {due.slice(0, shown).map((bucket) => (
            <StepRow key={bucket.start} bucket={bucket} timeZone={isDays ? currentData.timeZone : undefined} />
          ))}
        </tbody>
      </Table>
      {rest > 0 && (
        <div className="border-t border-line px-4 pt-3 md:px-5">
          <Button size="sm" onClick={() => setShown(shown + 48)}>
            {t("monitor.showMore", { count: Math.min(48, rest) })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** `timeZone`: of a step that is a day, whose. */
function StepRow({ bucket, timeZone }: { bucket: HistoryBucket; timeZone: string | undefined }) {
  const { t, i18n } = useTranslation();
  const { start, checks, availability, coverage, avg, lastCheckedAt, error, inMaintenance } = bucket;
  return (
    <Row>
      <Cell className="tnum whitespace-nowrap">
        {timeZone === undefined
          ? formatDateTime(start, i18n.language)
          : formatLocalDate(start, i18n.language, timeZone)}{" "}
        <MaintenanceBadge when={inMaintenance} />
      </Cell>
      <Cell numeric>{formatDuration(avg, i18n.language)}</Cell>
      <Cell numeric>{formatNumber(checks, i18n.language)}</Cell>
      <Cell numeric>
        {checks === 0 ? (
          <span className="text-muted">{coverage === null ? "–" : t("cells.noData")}</span>
        ) : (
          formatPercent(availability, i18n.language)
        )}
      </Cell>
      <Cell className="whitespace-nowrap">{lastCheckedAt === null ? "–" : <Time at={lastCheckedAt} />}</Cell>
      <Cell className="min-w-48 text-down-ink">
        <Reason text={error} />
      </Cell>
    </Row>
  );
}
