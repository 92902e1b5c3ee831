import type {
  AgentCounts,
  AttentionMonitor,
  EndingCertificates,
  SlowerMonitors,
  WorstAgent,
} from "@sonde/proto/http/dashboard";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { formatDateTime, formatDuration, formatPercent, formatRelative } from "../../lib/format.ts";
import { useNow } from "../../lib/hooks.ts";
import { formatUsage } from "../../lib/measures.ts";
import { Cell, HeadCell, Row, Table } from "../../lists/table.tsx";
import { Badge, shownState, StatusBadge } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { RecentCheckBars } from "../../ui/health/recent-check-bars.tsx";
import { isPassive, LastReport, targetText } from "../../ui/health/schedule.ts";
import { CheckIcon, CrossIcon, PendingIcon, TrendUpIcon, WarnIcon } from "../../ui/icons.tsx";
import { SilencedBadge } from "../../ui/until.tsx";
import { NameLink } from "../../lists/name-link.tsx";
import type { Dashboard } from "./live.ts";
import { Part, StateCount } from "./part.tsx";

/** Maximum number of monitors shown when all are healthy. The most recently changed come first. */
const maxHealthy = 8;

export function LatestChanges({ dashboard: { attention } }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const shown = (attention ?? []).slice(0, maxHealthy);
  const title = t("dashboard.attention.calm");
  return (
    <Part title={title} more={{ to: paths.monitors, label: t("dashboard.viewAll") }} isUnavailable={attention === null}>
      {shown.length === 0 ? (
        <p className="p-5 text-muted">{t("dashboard.attention.none")}</p>
      ) : (
        <Table label={title}>
          <thead className="max-md:hidden">
            <tr>
              <HeadCell className="md:first:pl-5">{t("dashboard.attention.monitor")}</HeadCell>
              <HeadCell>{t("dashboard.attention.status")}</HeadCell>
              <HeadCell>{t("monitors.recentChecks.title")}</HeadCell>
              <HeadCell numeric>{t("dashboard.attention.response")}</HeadCell>
              <HeadCell numeric className="max-xl:hidden">
                {t("dashboard.attention.p95")}
              </HeadCell>
              <HeadCell numeric className="md:last:pr-5">
                {t("dashboard.attention.uptime")}
              </HeadCell>
            </tr>
          </thead>
          <tbody>
            {shown.map((monitor) => (
              <MonitorRow key={monitor.id} monitor={monitor} />
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}

function MonitorRow({ monitor }: { monitor: AttentionMonitor }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { id, name, target, flapping, inMaintenance, silencedUntil, responseTime, uptime, p95 } = monitor;
  const bars = (
    <RecentCheckBars recentChecks={monitor.recentChecks ?? []} slowAfter={monitor.slowAfter} className="w-32" />
  );
  const badge = <StatusBadge state={shownState(monitor)} />;
  const isJob = isPassive(monitor.type);
  const shownTarget = targetText(target, t, language);
  const response = isJob ? <LastReport at={monitor.lastCheckedAt} /> : formatDuration(responseTime, language);
  const percent = formatPercent(uptime.h24, language);
  return (
    <Row>
      <Cell className="w-full max-w-0 min-w-40 md:first:pl-5">
        <span className="flex items-center gap-2">
          <NameLink to={paths.monitor(id)} name={name} title={`${name}\n${shownTarget}`} />
          {isJob && <span className="truncate text-[12px] text-faint">{shownTarget}</span>}
          {flapping && <Badge tone="warn">{t("dashboard.attention.flapping")}</Badge>}
          {inMaintenance === true && <Badge tone="maintenance">{t("dashboard.attention.maintenance")}</Badge>}
          <SilencedBadge until={silencedUntil} />
          <span className="ml-auto md:hidden">{badge}</span>
        </span>
        <span className="tnum mt-1 flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-[13px] text-muted md:hidden">
          {bars}
          <span>{response}</span>
          <span>{percent}</span>
        </span>
      </Cell>
      <Cell className="max-md:hidden">{badge}</Cell>
      <Cell className="min-w-36 max-md:hidden">{bars}</Cell>
      <Cell numeric className="max-md:hidden">
        {response}
      </Cell>
      <Cell numeric className="max-xl:hidden">
        {formatDuration(p95, language)}
      </Cell>
      <Cell numeric className="max-md:hidden md:last:pr-5">
        {percent}
      </Cell>
    </Row>
  );
}

const states = {
  offline: { ink: "text-down-ink", icon: CrossIcon },
  online: { ink: "text-up-ink", icon: CheckIcon },
  connecting: { ink: "text-idle-ink", icon: PendingIcon },
} as const;

export function AgentsCard({ dashboard: { agents, worstAgents } }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  return (
    <Part
      title={t("dashboard.agents.title")}
      count={agents?.total}
      countTo={paths.agents}
      more={{ to: paths.agents, label: t("dashboard.agents.viewAll") }}
      isUnavailable={agents === null || worstAgents === null}
    >
      {agents !== null && <Counts agents={agents} />}
      <ul className="divide-y divide-line border-t border-line">
        {worstAgents?.map((agent) => (
          <AgentRow key={agent.id} agent={agent} />
        ))}
      </ul>
    </Part>
  );
}

function Counts({ agents }: { agents: AgentCounts }) {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 px-4 py-2 md:px-5">
      {(Object.keys(states) as (keyof typeof states)[]).map((status) => (
        <StateCount
          key={status}
          {...states[status]}
          to={`${paths.agents}?status=${status}`}
          label={t(`dashboard.agents.${status}`)}
          count={agents[status]}
        />
      ))}
    </ul>
  );
}

function AgentRow({ agent }: { agent: WorstAgent }) {
  const { t } = useTranslation();
  const { id, name, status, silencedUntil } = agent;
  const { ink, icon: Icon } = states[status];
  const old = status !== "online";
  return (
    <li className="px-4 py-2 md:px-5">
      <span className="flex items-center gap-1.5">
        <NameLink to={paths.agent(id)} name={name} />
        <SilencedBadge until={silencedUntil} />
        {old && (
          <span className={cx("ml-auto flex shrink-0 items-center gap-1 text-[13px]", ink)}>
            <Icon className="size-3.5" />
            {t(`dashboard.agents.${status}`)}
          </span>
        )}
      </span>
      <span className="mt-1 grid grid-cols-3 gap-3">
        {(["cpu", "memory", "disk"] as const).map((metric) => (
          <Meter key={metric} label={t(`dashboard.agents.${metric}`)} percent={agent[metric]} old={old} />
        ))}
      </span>
    </li>
  );
}

/** Bars become amber and red at these percentages. 90 is the default alert threshold. */
const warnPercent = 80;
const highPercent = 90;

function Meter({ label, percent, old }: { label: string; percent: number | null; old: boolean }) {
  const { i18n } = useTranslation();
  const value = percent ?? 0;
  const fill = old ? "bg-idle" : value >= highPercent ? "bg-down" : value >= warnPercent ? "bg-warn" : "bg-accent";
  return (
    <span className="min-w-0 text-[12px]">
      <span className="flex justify-between gap-1">
        <span className="truncate text-muted">{label}</span>{" "}
        <span className="tnum font-medium">{formatUsage(percent, i18n.language)}</span>
      </span>
      <span aria-hidden="true" className="mt-0.5 block h-1.5 overflow-hidden rounded-full bg-line/80">
        <span style={{ width: `${value}%` }} className={cx("block h-full rounded-full", fill)} />
      </span>
    </span>
  );
}

/** The monitors whose response times rose most against the same hours of the last week. */
export function SlowerCard({ slower: { total, worst } }: { slower: SlowerMonitors }) {
  const { t, i18n } = useTranslation();
  const list = `${paths.monitors}?slower=true&sort=-p95Change`;
  return (
    <Part
      title={t("dashboard.slower.title")}
      count={total}
      countTo={list}
      more={{ to: list, label: t("dashboard.slower.all") }}
    >
      <p className="px-4 pt-2 text-[13px] text-muted md:px-5">{t("dashboard.slower.against")}</p>
      <ul className="divide-y divide-line">
        {worst.map(({ monitorId, name, p95: { usual, last } }) => {
          const times = { usual: formatDuration(usual, i18n.language), last: formatDuration(last, i18n.language) };
          return (
            <FigureRow key={monitorId} monitorId={monitorId} name={name} ink="text-warn-ink" icon={TrendUpIcon}>
              <span className="sr-only">{t("dashboard.slower.label", times)}</span>
              <span aria-hidden="true">
                {times.usual} → {times.last}
              </span>
            </FigureRow>
          );
        })}
      </ul>
    </Part>
  );
}

type FigureRowProps = { monitorId: number; name: string; ink: string; icon: typeof WarnIcon; children: ReactNode };

function FigureRow({ monitorId, name, ink, icon: Icon, children }: FigureRowProps) {
  return (
    <li className="flex items-center justify-between gap-3 px-4 py-2 md:px-5">
      <NameLink to={paths.monitor(monitorId)} name={name} />
      <span className={cx("tnum flex shrink-0 items-center gap-1.5 text-[13px]", ink)}>
        <Icon className="size-3.5" />
        {children}
      </span>
    </li>
  );
}

const shownCertificates = 5;

export function CertificatesCard({ certificates: { total, soonest } }: { certificates: EndingCertificates }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const nowMs = useNow();
  return (
    <Part title={t("dashboard.certificates.title")} count={total} countTo={`${paths.monitors}?status=expiring`}>
      <ul className="divide-y divide-line">
        {soonest.slice(0, shownCertificates).map(({ monitorId, name, expiresAt }) => {
          const isPast = Date.parse(expiresAt) <= nowMs;
          const [ink, icon] = isPast ? ["text-down-ink", CrossIcon] : ["text-warn-ink", WarnIcon];
          const when = formatRelative(expiresAt, nowMs, language);
          return (
            <FigureRow key={monitorId} monitorId={monitorId} name={name} ink={ink} icon={icon}>
              <time dateTime={expiresAt} title={formatDateTime(expiresAt, language)}>
                {t(isPast ? "dashboard.certificates.ended" : "dashboard.certificates.ends", { when })}
              </time>
            </FigureRow>
          );
        })}
      </ul>
    </Part>
  );
}
