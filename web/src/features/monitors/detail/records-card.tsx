import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Changes } from "../../../entities/audit/changes.tsx";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { Loaded, QueryError } from "../../../app/screen.tsx";
import { PhasesBar } from "../../../charts/phases-bar.tsx";
import type { Band } from "../../../charts/scales.ts";
import {
  formatDateTime,
  formatDuration,
  formatLocalDate,
  formatNumber,
  formatPercent,
  formatPeriod,
} from "../../../lib/format.ts";
import { type Column, DataTable } from "../../../lists/data-table.tsx";
import { expandColumn } from "../../../lists/expand-column.tsx";
import { Badge, MaintenanceBadge, StatusBadge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card, Entry } from "../../../ui/card.tsx";
import { IncidentList } from "../../../ui/health/incident-list.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { Time } from "../../../ui/time.tsx";
import { type MonitorHistory, useChecksInfiniteQuery, useHistoryQuery, useMonitorIncidentsQuery } from "../api.ts";
import { type DetailParams, type HistoryQuery, viewsOf } from "./params.ts";

const Pings = lazy(() => import("../heartbeat/pings.tsx"));

type RecordsProps = { monitor: Monitor; params: DetailParams; listed: HistoryQuery };

export function RecordsCard({ monitor, params, listed }: RecordsProps) {
  const { id } = monitor;
  const isJob = monitor.type === "heartbeat";
  const { t } = useTranslation();
  const { failed, bar, zoom, change } = params;
  const { isAdmin } = useSession();
  const views = viewsOf(monitor);
  const tab = params.tab === "changes" && !isAdmin ? views[0] : params.tab;
  const isFailed = failed === "true";
  const card = useRef<HTMLDivElement>(null);
  // The bar may be far above the card.
  const barMs = bar?.fromMs;
  useEffect(() => {
    if (barMs !== undefined) card.current?.scrollIntoView({ block: "nearest" });
  }, [barMs]);
  const band = bar ?? zoom;
  const checks = (
    <>
      <div className="-mt-1 mb-4 flex flex-wrap items-center gap-x-6 gap-y-2">
        <Switch
          label={t("monitorDetail.failedOnly")}
          checked={isFailed}
          onChange={({ target }) => change({ failed: target.checked ? "true" : undefined })}
        />
        {bar !== undefined && <ChosenBar bar={bar} params={params} />}
      </div>
      <Checks
        key={`${id} ${failed} ${band?.fromMs} ${band?.toMs}`}
        id={id}
        isJob={isJob}
        failed={isFailed}
        band={band}
      />
    </>
  );
  const tabs = {
    history: {
      label: t(isJob ? "monitorDetail.pings" : "monitor.table"),
      content: isJob ? (
        <Suspense fallback={tall}>
          <Pings monitor={monitor} />
        </Suspense>
      ) : (
        <HistoryTable key={JSON.stringify(listed)} id={id} historyQuery={listed} />
      ),
    },
    checks: { label: t(isJob ? "monitorDetail.dueTimes" : "monitor.recentChecks"), content: checks },
    incidents: { label: t("incidents.title"), content: <MonitorIncidents id={id} /> },
    changes: { label: t("changes.title"), content: <Changes target={`monitor:${id}`} /> },
  };
  return (
    <div ref={card} className="scroll-my-4">
      <Card>
        <Tabs
          label={t("monitor.view")}
          value={tab}
          onChange={(next) => change({ tab: next })}
          tabs={views.filter((view) => isAdmin || view !== "changes").map((value) => ({ value, ...tabs[value] }))}
        />
      </Card>
    </div>
  );
}

function ChosenBar({ bar, params: { zoomTo, listChecksOf } }: { bar: Band; params: DetailParams }) {
  const { t, i18n } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p role="status" className="tnum font-medium">
        {formatPeriod(bar, i18n.language)}
      </p>
      <Button size="sm" onClick={() => zoomTo(bar)}>
        {t("monitorDetail.zoomIn")}
      </Button>
      <Button size="sm" onClick={() => listChecksOf(undefined)}>
        {t("monitorDetail.allChecks")}
      </Button>
    </div>
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

const initialRows = 12;
const tall = <Skeleton className="h-72 w-full" />;

function HistoryTable({ id, historyQuery }: { id: number; historyQuery: HistoryQuery }) {
  const query = useHistoryQuery({ id, ...historyQuery });
  return (
    <Loaded query={{ ...query, data: query.currentData }} fallback="fetchMonitors" placeholder={tall} header={null}>
      {(history) => <Steps history={history} />}
    </Loaded>
  );
}

function Steps({ history: { buckets, step, timeZone } }: { history: MonitorHistory }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const [shown, setShown] = useState(initialRows);
  const due = buckets
    .filter(({ checks, coverage, inMaintenance }) => checks > 0 || coverage !== null || inMaintenance === true)
    .toReversed();
  if (due.length === 0) return <EmptyState title={t("monitor.noRecords")} />;
  const isDays = step >= 86_400;
  const rest = due.length - shown;
  const items = due.slice(0, shown).map((bucket) => ({ ...bucket, id: bucket.start }));
  const columns: Column<(typeof items)[number]>[] = [
    {
      head: isDays ? `${t("monitor.time")} (${timeZone})` : t("monitor.time"),
      className: "tnum whitespace-nowrap",
      cell: ({ start, inMaintenance }) => (
        <>
          {isDays ? formatLocalDate(start, language, timeZone) : formatDateTime(start, language)}{" "}
          <MaintenanceBadge when={inMaintenance} />
        </>
      ),
    },
    { head: t("monitors.responseTime"), numeric: true, cell: ({ avg }) => formatDuration(avg, language) },
    { head: t("monitor.records"), numeric: true, cell: ({ checks }) => formatNumber(checks, language) },
    {
      head: t("monitor.availability"),
      numeric: true,
      cell: ({ checks, coverage, availability }) =>
        checks > 0 ? (
          formatPercent(availability, language)
        ) : (
          <span className="text-muted">{coverage === null ? "–" : t("cells.noData")}</span>
        ),
    },
    {
      head: t("monitor.latestRecord"),
      className: "whitespace-nowrap",
      cell: ({ lastCheckedAt }) => (lastCheckedAt === null ? "–" : <Time at={lastCheckedAt} short />),
    },
    { head: t("monitor.error"), className: "min-w-48 text-down-ink", cell: ({ error }) => <Reason text={error} /> },
  ];
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <DataTable label={t("monitor.table")} columns={columns} items={items} />
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

const keyOf = ({ startedAt, location, attempt, manual }: CheckResult) =>
  `${startedAt} ${location} ${attempt} ${manual}`;

type Check = CheckResult & { id: string };
type ChecksProps = { id: number; isJob: boolean; failed: boolean; band: Band | undefined };

function Checks({ id, isJob, failed, band }: ChecksProps) {
  const { t, i18n } = useTranslation();
  const instant = (atMs: number) => new Date(atMs).toISOString();
  const within = band === undefined ? {} : { from: instant(band.fromMs), until: instant(band.toMs) };
  const query = useChecksInfiniteQuery({ id, failed, ...within }, { pollingInterval: usePolling() });
  const { currentData, isFetchingNextPage, hasNextPage, fetchNextPage } = query;
  const columns = useCheckColumns();
  const [openId, setOpenId] = useState<string>();
  if (currentData === undefined)
    return query.error === undefined ? tall : <QueryError query={query} fallback="fetchMonitors" />;
  const checks = currentData.pages.flatMap((page) => page.checks.map((check) => ({ ...check, id: keyOf(check) })));
  if (checks.length === 0) {
    return <EmptyState title={failed && band === undefined ? t("monitorDetail.noFailures") : t("monitor.noRecords")} />;
  }
  return (
    <div className="-mx-4 -mt-3 -mb-2 md:-mx-5">
      {isJob ? (
        <DueTimes checks={checks} />
      ) : (
        <DataTable
          label={t("monitor.recentChecks")}
          columns={[
            expandColumn<Check>({
              head: t("monitorDetail.details"),
              className: "pr-0",
              labelOf: ({ startedAt }) =>
                t("monitorDetail.detailsOf", { when: formatDateTime(startedAt, i18n.language) }),
              openId,
              onOpen: setOpenId,
            }),
            ...columns,
          ]}
          items={checks}
          detailOf={(check) => check.id === openId && <CheckDetails check={check} />}
        />
      )}
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

function DueTimes({ checks }: { checks: readonly Check[] }) {
  const { t } = useTranslation();
  const columns: Column<Check>[] = [
    {
      head: t("monitorDetail.due"),
      className: "whitespace-nowrap",
      cell: ({ slot, inMaintenance }) => (
        <>
          <Time at={slot} short /> <MaintenanceBadge when={inMaintenance} />
        </>
      ),
    },
    { head: t("monitors.status"), cell: ({ status }) => <StatusBadge state={status} wording="detail" /> },
    {
      head: t("monitor.error"),
      className: "min-w-48 text-down-ink",
      cell: ({ error }) => <Reason text={error?.message} />,
    },
  ];
  return <DataTable label={t("monitorDetail.dueTimes")} columns={columns} items={checks} />;
}

function useCheckColumns(): Column<Check>[] {
  const { t, i18n } = useTranslation();
  return [
    {
      head: t("monitor.time"),
      className: "whitespace-nowrap",
      cell: ({ startedAt, manual, inMaintenance }) => (
        <>
          <Time at={startedAt} short /> {manual && <Badge>{t("monitor.manual")}</Badge>}{" "}
          <MaintenanceBadge when={inMaintenance} />
        </>
      ),
    },
    { head: t("monitors.status"), cell: ({ status }) => <StatusBadge state={status} wording="detail" /> },
    {
      head: t("monitors.responseTime"),
      numeric: true,
      cell: ({ responseTime }) => formatDuration(responseTime, i18n.language),
    },
    { head: t("monitor.statusCode"), numeric: true, cell: ({ statusCode }) => statusCode ?? "–" },
    { head: t("monitor.location"), cell: ({ location }) => location },
    {
      head: t("monitor.error"),
      className: "min-w-48 text-down-ink",
      cell: ({ error }) => <Reason text={error?.message} />,
    },
  ];
}

function CheckDetails({ check }: { check: CheckResult }) {
  const { t, i18n } = useTranslation();
  const { timings, attempt, failures, lateness, location, slot, manual } = check;
  return (
    // Stays visible while the table scrolls sideways on a phone.
    <div className="sticky left-4 flex max-w-[calc(100vw-5rem)] flex-col gap-4 py-2.5 md:left-5">
      <PhasesBar timings={timings} />
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Entry name={t("monitorDetail.attempt")}>{attempt}</Entry>
        {failures > 0 && <Entry name={t("monitorDetail.failuresInRow")}>{failures}</Entry>}
        {/* Manual checks have no due time. */}
        {!manual && (
          <>
            <Entry name={t("monitorDetail.due")}>
              <Time at={slot} />
            </Entry>
            <Entry name={t("monitorDetail.lateness")}>{formatDuration(lateness, i18n.language)}</Entry>
          </>
        )}
        <Entry name={t("monitor.location")}>{location}</Entry>
      </dl>
    </div>
  );
}
