import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { usePolling } from "../../../app/hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { HeadCell, Table } from "../../../lists/table.tsx";
import { useChecksInfiniteQuery } from "../api.ts";
import { CheckRow } from "./check-row.tsx";

const keyOf = ({ startedAt, location, attempt, manual }: CheckResult) =>
  `${startedAt} ${location} ${attempt} ${manual}`;

type ChecksTableProps = { id: number; failed: boolean; onFailed: (only: boolean) => void };

/** The latest single results, or the failures among all that are kept; older ones page by page. */
export function ChecksTable({ id, failed, onFailed }: ChecksTableProps) {
  const { t } = useTranslation();
  return (
    <div>
      <div className="-mt-1 mb-4">
        <Switch
          label={t("monitorDetail.failedOnly")}
          checked={failed}
          onChange={({ target }) => onFailed(target.checked)}
        />
      </div>
      <Checks key={`${id} ${failed}`} id={id} failed={failed} />
    </div>
  );
}

function Checks({ id, failed }: { id: number; failed: boolean }) {
  const { t } = useTranslation();
  const query = useChecksInfiniteQuery({ id, failed }, { pollingInterval: usePolling() });
  const { currentData, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  const [open, setOpen] = useState<string | null>(null);
  if (currentData === undefined) {
    return error === undefined ? (
      <Skeleton className="h-72 w-full" />
    ) : (
      <ErrorState message={errorText(error, "fetchMonitors")} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  const checks = currentData.pages.flatMap((page) => page.checks);
  if (checks.length === 0) {
    return <EmptyState title={failed ? t("monitorDetail.noFailures") : t("monitor.noRecords")} />;
  }
  return (
    <div className="-mx-4 -mt-3 -mb-2 md:-mx-5">
      <Table label={t("monitor.recentChecks")}>
        <thead>
          <tr>
            <HeadCell className="w-px">
              <span className="sr-only">{t("monitorDetail.details")}</span>
            </HeadCell>
            <HeadCell>{t("monitor.time")}</HeadCell>
            <HeadCell>{t("monitors.status")}</HeadCell>
            <HeadCell numeric>{t("monitors.responseTime")}</HeadCell>
            <HeadCell numeric>{t("monitor.statusCode")}</HeadCell>
            <HeadCell>{t("monitor.location")}</HeadCell>
            <HeadCell>{t("monitor.error")}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => {
            const key = keyOf(check);
            const isOpen = key === open;
            return <CheckRow key={key} check={check} isOpen={isOpen} onToggle={() => setOpen(isOpen ? null : key)} />;
          })}
        </tbody>
      </Table>
      {hasNextPage && (
        <div className="border-t border-line px-4 py-3 md:px-5">
          <Button size="sm" saving={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("monitorDetail.showMore")}
          </Button>
        </div>
      )}
    </div>
  );
}
