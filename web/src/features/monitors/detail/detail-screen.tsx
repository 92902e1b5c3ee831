import { cx } from "../../../ui/cx.ts";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { LostLocations } from "../../../app/locations.tsx";
import { ManagedBadge } from "../../../entities/managed/managed-badge.tsx";
import { paths } from "../../../app/paths.ts";
import { BackLink, DetailPlaceholder, isId, isMissing, Loaded, useNotice } from "../../../app/screen.tsx";
import { SilencedNote } from "../../../entities/silences/silenced-note.tsx";
import { formatDuration, formatList, formatPercent, formatRelative, formatSpan } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Badge, MaintenanceBadge, shownState, StatusBadge } from "../../../ui/badge.tsx";
import { Tile, TileRow } from "../../../ui/card.tsx";
import { isPassive, targetText } from "../../../ui/health/schedule.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { ExternalIcon, KindIcon, SilentIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import {
  manualCheckKey,
  useCheckMonitorMutation,
  useIsNobodyNotifiedQuery,
  useMonitorIncidentsQuery,
  useMonitorQuery,
} from "../api.ts";
import { MissingMonitor } from "../stored-monitor.tsx";
import { Actions } from "./actions.tsx";
import { CheckPanel } from "./check-panel.tsx";
import { DownPanel } from "./down-panel.tsx";
import { HistoryCard } from "./history-card.tsx";
import { historyQueries, useDetailParams } from "./params.ts";

const BelowHistory = lazy(() => import("./below.tsx"));
const HeartbeatTop = lazy(() => import("../heartbeat/top.tsx"));
const GroupTop = lazy(() => import("../group/top.tsx"));
const InboundTop = lazy(() => import("../inbound/top.tsx"));

/** Polls faster until the first result, in case the live event is late. */
const pendingPollMs = 2000;

export default function DetailScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const [isPending, setIsPending] = useState(false);
  const polling = usePolling();
  const query = useMonitorQuery(id, { skip: !isId(id), pollingInterval: isPending ? pendingPollMs : polling });
  const { data, error } = query;
  const incidents = useMonitorIncidentsQuery(id, { skip: !isId(id) });
  // A heartbeat's first ping may take a month, and arrives as a live event.
  const pendingNow = data?.monitor.status === "pending" && !isPassive(data.monitor.type);
  if (pendingNow !== isPending) setIsPending(pendingNow);

  if (isMissing(id, error)) {
    return (
      <>
        <PageHeader title={t("nav.monitors")} />
        <MissingMonitor error={error} />
      </>
    );
  }
  return (
    <Loaded query={query} fallback="fetchMonitors" placeholder={<DetailPlaceholder />}>
      {({ monitor }) =>
        // Waits for the incident, because the panel at the top would shift the page.
        monitor.status === "down" && incidents.isLoading ? (
          <DetailPlaceholder />
        ) : (
          // The own part of a passive kind is loaded first, since it would shift what is below.
          <Suspense fallback={<DetailPlaceholder />}>
            <Detail monitor={monitor} error={error} />
          </Suspense>
        )
      }
    </Loaded>
  );
}

function Detail({ monitor, error }: { monitor: Monitor; error: unknown }) {
  const { t, i18n } = useTranslation();
  const { partial } = monitor;
  const params = useDetailParams(monitor);
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader monitor={monitor} error={error} />
      {partial !== undefined && (
        <Alert kind="info">{t("monitor.partial", { locations: formatList(partial, i18n.language) })}</Alert>
      )}
      {monitor.type === "heartbeat" ? (
        <HeartbeatTop key={monitor.id} monitor={monitor} />
      ) : monitor.type === "inbound" ? (
        <InboundTop key={monitor.id} monitor={monitor} />
      ) : monitor.type === "group" ? (
        <GroupTop key={monitor.id} monitor={monitor} />
      ) : (
        <DetailTiles monitor={monitor} />
      )}
      <HistoryCard monitor={monitor} params={params} />
      <Suspense fallback={<Skeleton className="h-160 w-full" />}>
        <BelowHistory monitor={monitor} params={params} listed={historyQueries(params).listed} />
      </Suspense>
    </div>
  );
}

function DetailHeader({ monitor, error }: { monitor: Monitor; error: unknown }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const [, checked] = useCheckMonitorMutation({ fixedCacheKey: manualCheckKey(monitor.id) });
  const notice = useNotice();
  const { id, name, description, type, target, status, stale, flapping, managed } = monitor;

  return (
    <div>
      <BackLink to={paths.monitors} label={t("monitor.back")} />
      <PageHeader
        title={name}
        badge={
          <>
            <StatusBadge state={shownState(monitor)} wording="detail" />
            <MaintenanceBadge when={monitor.inMaintenance} />
            <ManagedBadge managed={managed} />
            <NobodyBadge id={id} />
          </>
        }
        description={
          <>
            {description !== "" && <span className="mb-1 block break-words whitespace-pre-line">{description}</span>}
            <span className="flex items-start gap-2">
              <KindIcon type={type} className="mt-1 size-4" />
              <Target text={targetText(target, t, i18n.language)} />
              {!isPassive(type) && (
                <span className="-my-1 shrink-0">
                  <CopyButton text={target} about={t("monitor.target")} />
                </span>
              )}
            </span>
          </>
        }
        actions={mayChange && <Actions monitor={monitor} />}
      />
      <div className="flex flex-col gap-3">
        <DownPanel monitor={monitor} />
        {status !== "paused" && monitor.locations !== undefined && <LostLocations only={monitor.locations} />}
        {error !== undefined && <Alert kind="error">{errorText(error, "fetchMonitors")}</Alert>}
        <SilencedNote target={{ type: "monitor", id }} until={monitor.silencedUntil} />
        {checked.isUninitialized && notice !== undefined && <Alert kind="success">{notice}</Alert>}
        {flapping && <Alert kind="info">{t("monitor.flappingNote")}</Alert>}
        {stale && status !== "paused" && (
          <Alert kind="info">{t(type === "heartbeat" ? "monitor.unseenNote" : "monitor.staleNote")}</Alert>
        )}
        {monitor.type !== "heartbeat" && monitor.type !== "inbound" && monitor.type !== "group" && (
          <CheckPanel monitor={monitor} checked={checked} />
        )}
      </div>
    </div>
  );
}

/** Beside the name, so that nothing below moves when it appears. */
function NobodyBadge({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data: isNobody } = useIsNobodyNotifiedQuery(id, { refetchOnMountOrArgChange: true });
  if (isNobody !== true) return null;
  return (
    <Link to={paths.targetNotifications("monitor", id)} className="inline-flex min-h-6 items-center hover:underline">
      <Badge tone="warn" icon={SilentIcon}>
        {t("monitor.nobodyNotified")}
      </Badge>
    </Link>
  );
}

/** The target, as a link if a browser can open it. */
function Target({ text }: { text: string }) {
  const look = "inline-flex min-h-6 min-w-0 items-center gap-1 font-mono text-[13px] break-all";
  if (!/^https?:\/\//i.test(text)) return <span className={look}>{text}</span>;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer" className={`${look} hover:text-ink hover:underline`}>
      {text}
      <ExternalIcon className="size-3.5" />
    </a>
  );
}

function DetailTiles({ monitor }: { monitor: Monitor }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const nowMs = useNow();
  const { status, statusSince, responseTime, lastCheckedAt, nextCheckAt, uptime } = monitor;
  const { certificateExpiresAt } = monitor;
  const state = shownState(monitor);
  function nextCheck() {
    if (status === "paused") return t("monitor.pausedNote");
    if (nextCheckAt === null) return null;
    if (Date.parse(nextCheckAt) - nowMs < 1000) return t("monitor.nextCheckNow");
    return t("monitor.nextCheck", { when: formatRelative(nextCheckAt, nowMs, language) });
  }
  return (
    <>
      <TileRow className="lg:grid-cols-4">
        <Tile
          label={t("monitor.currentStatus")}
          value={t(`status.detail.${state}`)}
          tone={state === "up" || state === "down" ? state : "plain"}
          note={t("monitor.since", { span: formatSpan(nowMs - Date.parse(statusSince), language) })}
        />
        <Tile
          label={t("monitor.lastResponse")}
          value={formatDuration(responseTime, language)}
          note={
            lastCheckedAt === null
              ? t("monitor.waiting")
              : t("monitor.lastChecked", {
                  when: formatRelative(Math.min(Date.parse(lastCheckedAt), nowMs), nowMs, language),
                })
          }
        />
        <Tile label={t("monitor.uptime24h")} value={formatPercent(uptime.h24, language)} note={nextCheck()} />
        <Tile
          label={t("monitor.uptime30d")}
          value={formatPercent(uptime.d30, language)}
          note={
            certificateExpiresAt !== undefined && (
              <span className={cx(Date.parse(certificateExpiresAt) - nowMs < soonMs && "text-warn-ink")}>
                {t(monitor.type === "domain" ? "monitor.domain" : "monitor.certificate")}{" "}
                <Time at={certificateExpiresAt} relative />
              </span>
            )
          }
        />
      </TileRow>
    </>
  );
}

const soonMs = 14 * 86_400_000;
