import type { AttentionMonitor } from "@sonde/proto/http/dashboard";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { formatDuration, formatPercent } from "../../lib/format.ts";
import { Badge, shownState, StatusBadge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { RecentCheckBars } from "../../ui/health/recent-check-bars.tsx";
import { Cell, HeadCell, Row, Table } from "../../lists/table.tsx";
import type { Dashboard } from "./live.ts";
import { Unavailable } from "./unavailable.tsx";

/** Where all is well only so many are shown, those whose state changed last. */
const mostWell = 8;

const isBad = ({ status, stale, flapping }: AttentionMonitor) => status === "down" || stale || flapping;

/** The monitors in the worst state. Where none is in a bad one, those whose state changed last, with their checks. */
export function AttentionCard({ dashboard: { attention } }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const bad = attention?.filter(isBad) ?? [];
  const shown = bad.length > 0 ? bad : (attention ?? []).slice(0, mostWell);
  const title = t(bad.length > 0 ? "dashboard.attention.title" : "dashboard.attention.calm");
  return (
    <Card
      title={title}
      flush
      actions={
        <ButtonLink to={paths.monitors} variant="ghost" size="sm">
          {t("dashboard.viewAll")}
        </ButtonLink>
      }
    >
      {attention === null ? (
        <div className="p-5">
          <Unavailable />
        </div>
      ) : shown.length === 0 ? (
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
    </Card>
  );
}

function MonitorRow({ monitor }: { monitor: AttentionMonitor }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { id, name, target, status, stale, flapping, inMaintenance, responseTime, uptime, p95 } = monitor;
  const recentChecks = monitor.recentChecks ?? [];
  const badge = <StatusBadge state={shownState(status, stale)} />;
  const response = formatDuration(responseTime, language);
  const percent = formatPercent(uptime.h24, language);
  return (
    <Row>
      <Cell className="w-full max-w-0 min-w-40 md:first:pl-5">
        <span className="flex items-center gap-2">
          <Link
            to={paths.monitor(id)}
            title={`${name}\n${target}`}
            className="inline-flex min-h-6 min-w-0 items-center font-medium hover:underline"
          >
            <span className="truncate">{name}</span>
          </Link>
          {flapping && <Badge tone="warn">{t("dashboard.attention.flapping")}</Badge>}
          {inMaintenance === true && <Badge tone="maintenance">{t("dashboard.attention.maintenance")}</Badge>}
          <span className="ml-auto md:hidden">{badge}</span>
        </span>
        <span className="tnum mt-1 flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-[13px] text-muted md:hidden">
          <RecentCheckBars recentChecks={recentChecks} className="w-32" />
          <span>{response}</span>
          <span>{percent}</span>
        </span>
      </Cell>
      <Cell className="max-md:hidden">{badge}</Cell>
      <Cell className="min-w-36 max-md:hidden">
        <RecentCheckBars recentChecks={recentChecks} className="w-32" />
      </Cell>
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
