import { factNames } from "@sonde/proto/http/monitors/pings";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePolling } from "../../../app/hooks.ts";
import { QueryError } from "../../../app/screen.tsx";
import { formatDateTime, formatDuration, formatNumber } from "../../../lib/format.ts";
import { type Column, DataTable } from "../../../lists/data-table.tsx";
import { expandColumn } from "../../../lists/expand-column.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Verbatim } from "../../../ui/card.tsx";
import { CheckIcon, CrossIcon, PageIcon, PlayIcon } from "../../../ui/icons.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { type HeartbeatMonitor, usePingsInfiniteQuery } from "./api.ts";

const looks = {
  success: { tone: "up", icon: CheckIcon },
  start: { tone: "plain", icon: PlayIcon },
  fail: { tone: "down", icon: CrossIcon },
  log: { tone: "plain", icon: PageIcon },
} as const;

/** A ping updates the state at once, but reaches the history a moment later. */
const storedAfterMs = 3000;

export default function Pings({ monitor }: { monitor: HeartbeatMonitor }) {
  const { t, i18n } = useTranslation();
  const { id, lastCheckedAt, lastRun, running } = monitor;
  const query = usePingsInfiniteQuery(id, { pollingInterval: usePolling() });
  const { currentData, isFetchingNextPage, hasNextPage, fetchNextPage } = query;
  const [openId, setOpenId] = useState<string>();
  const refetch = useEffectEvent(() => void query.refetch());
  const shownState = JSON.stringify([lastCheckedAt, lastRun, running]);
  useEffect(() => {
    const timer = setTimeout(refetch, storedAfterMs);
    return () => clearTimeout(timer);
  }, [shownState]);
  if (currentData === undefined) {
    return query.error === undefined ? (
      <Skeleton className="h-72 w-full" />
    ) : (
      <QueryError query={query} fallback="fetchMonitors" />
    );
  }
  const all = currentData.pages.flatMap((page) => page.pings);
  const pings = all.map((ping, index) => ({
    ...ping,
    id: `${ping.at} ${ping.type} ${ping.runId ?? ""} ${all.length - index}`,
  }));
  if (pings.length === 0) return <EmptyState title={t("heartbeat.pings.none")} />;
  const factsColumn: Column<(typeof pings)[number]> = {
    head: t("heartbeat.facts.title"),
    // On phones the table scrolls instead of breaking them word by word.
    className: "whitespace-nowrap",
    cell: ({ facts = {} }) =>
      factNames
        .flatMap((name) => (facts[name] === undefined ? [] : `${name} ${formatNumber(facts[name], i18n.language)}`))
        .join(" · "),
  };
  const columns: Column<(typeof pings)[number]>[] = [
    expandColumn({
      head: t("monitorDetail.details"),
      className: "pr-0",
      labelOf: ({ at, output = "" }) =>
        output === "" ? null : t("heartbeat.pings.outputOf", { when: formatDateTime(at, i18n.language) }),
      openId,
      onOpen: setOpenId,
    }),
    { head: t("monitor.time"), className: "whitespace-nowrap", cell: ({ at }) => <Time at={at} short /> },
    {
      head: t("heartbeat.pings.type"),
      className: "whitespace-nowrap",
      cell: ({ type, runId, exitCode }) => (
        <>
          <Badge {...looks[type]}>{t(`heartbeat.pings.types.${type}`)}</Badge>{" "}
          <span className="tnum text-[13px] text-muted" title={runId}>
            {exitCode !== undefined && exitCode !== 0 && t("heartbeat.pings.exit", { code: exitCode })}
          </span>
        </>
      ),
    },
    {
      head: t("heartbeat.runs.duration"),
      numeric: true,
      cell: ({ durationMs }) => formatDuration(durationMs, i18n.language),
    },
    ...(pings.some(({ facts }) => facts !== undefined) ? [factsColumn] : []),
    { head: t("heartbeat.pings.from"), className: "font-mono text-[13px]", cell: ({ from }) => from },
  ];
  return (
    <div className="-mx-4 -mt-3 -mb-2 md:-mx-5">
      <DataTable
        label={t("monitorDetail.pings")}
        columns={columns}
        items={pings}
        detailOf={({ id: pingId, output = "" }) =>
          pingId === openId && (
            <div className="sticky left-4 max-h-96 max-w-[calc(100vw-5rem)] overflow-auto py-2.5 md:left-5">
              <Verbatim>{output}</Verbatim>
            </div>
          )
        }
      />
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
