import type { PingEntry } from "@sonde/proto/http/monitors/pings";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePolling } from "../../../app/hooks.ts";
import { QueryError } from "../../../app/screen.tsx";
import { formatDateTime, formatDuration } from "../../../lib/format.ts";
import { Cell, HeadCell, Row, Table } from "../../../lists/table.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Verbatim } from "../../../ui/card.tsx";
import { cx } from "../../../ui/cx.ts";
import { CheckIcon, ChevronRightIcon, CrossIcon, PageIcon, PlayIcon } from "../../../ui/icons.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { type HeartbeatMonitor, usePingsInfiniteQuery } from "./api.ts";

const looks = {
  success: { tone: "up", icon: CheckIcon },
  start: { tone: "plain", icon: PlayIcon },
  fail: { tone: "down", icon: CrossIcon },
  log: { tone: "plain", icon: PageIcon },
} as const;

/** The state knows of a ping at once, its history a moment later. */
const storedAfterMs = 3000;

/** Every call of the address, the newest first; what a job sent is shown on demand. */
export default function Pings({ monitor }: { monitor: HeartbeatMonitor }) {
  const { t } = useTranslation();
  const { id, lastCheckedAt, lastRun, running } = monitor;
  const query = usePingsInfiniteQuery(id, { pollingInterval: usePolling() });
  const { currentData, isFetchingNextPage, hasNextPage, fetchNextPage } = query;
  const [open, setOpen] = useState<string | null>(null);
  const refetch = useEffectEvent(() => void query.refetch());
  const heard = JSON.stringify([lastCheckedAt, lastRun, running]);
  useEffect(() => {
    const timer = setTimeout(refetch, storedAfterMs);
    return () => clearTimeout(timer);
  }, [heard]);
  if (currentData === undefined) {
    return query.error === undefined ? (
      <Skeleton className="h-72 w-full" />
    ) : (
      <QueryError query={query} fallback="fetchMonitors" />
    );
  }
  const pings = currentData.pages.flatMap((page) => page.pings);
  if (pings.length === 0) return <EmptyState title={t("heartbeat.pings.none")} />;
  return (
    <div className="-mx-4 -mt-3 -mb-2 md:-mx-5">
      <Table label={t("monitorDetail.pings")}>
        <thead>
          <tr>
            <HeadCell className="w-px">
              <span className="sr-only">{t("monitorDetail.details")}</span>
            </HeadCell>
            <HeadCell>{t("monitor.time")}</HeadCell>
            <HeadCell>{t("heartbeat.pings.type")}</HeadCell>
            <HeadCell numeric>{t("heartbeat.runs.duration")}</HeadCell>
            <HeadCell>{t("heartbeat.pings.from")}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {pings.map((ping, index) => {
            const key = `${ping.at} ${ping.type} ${ping.runId ?? ""} ${pings.length - index}`;
            return (
              <PingRow
                key={key}
                ping={ping}
                isOpen={key === open}
                onToggle={() => setOpen(key === open ? null : key)}
              />
            );
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

function PingRow({ ping, isOpen, onToggle }: { ping: PingEntry; isOpen: boolean; onToggle: () => void }) {
  const { t, i18n } = useTranslation();
  const details = useId();
  const { at, type, exitCode, runId, durationMs, from, output = "" } = ping;
  return (
    <>
      <Row>
        <Cell className="pr-0">
          {output !== "" && (
            <Button
              variant="ghost"
              size="icon"
              aria-expanded={isOpen}
              aria-controls={isOpen ? details : undefined}
              aria-label={t("heartbeat.pings.outputOf", { when: formatDateTime(at, i18n.language) })}
              onClick={onToggle}
            >
              <ChevronRightIcon className={cx("size-4 transition-transform", isOpen && "rotate-90")} />
            </Button>
          )}
        </Cell>
        <Cell className="h-10 whitespace-nowrap">
          <Time at={at} short />
        </Cell>
        <Cell className="whitespace-nowrap">
          <Badge {...looks[type]}>{t(`heartbeat.pings.types.${type}`)}</Badge>{" "}
          <span className="tnum text-[13px] text-muted" title={runId}>
            {exitCode !== undefined && exitCode !== 0 && t("heartbeat.pings.exit", { code: exitCode })}
          </span>
        </Cell>
        <Cell numeric>{formatDuration(durationMs, i18n.language)}</Cell>
        <Cell className="font-mono text-[13px]">{from}</Cell>
      </Row>
      {isOpen && (
        <tr id={details} className="bg-sunken/60">
          <td colSpan={5} className="px-4 py-4 md:px-5">
            <div className="sticky left-4 max-h-96 max-w-[calc(100vw-5rem)] overflow-auto md:left-5">
              <Verbatim>{output}</Verbatim>
            </div>
          </td>
        </tr>
      )}
    </>
  );
}
