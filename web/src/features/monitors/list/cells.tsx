import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { RecentCheck } from "@sonde/proto/http/monitors/recent-checks";
import { createContext, memo, useContext } from "react";
import { useTranslation } from "react-i18next";
import { formatChange, formatDateTime, formatDays, formatDuration } from "../../../lib/format.ts";
import { useFromNow, useIsAhead } from "../../../lib/hooks.ts";
import { shownState } from "../../../ui/badge.tsx";
import { cx } from "../../../ui/cx.ts";
import { Reason } from "../../../ui/health/reason.tsx";
import { isPassive, LastReport, targetText } from "../../../ui/health/schedule.ts";
import { RecentCheckBars } from "../../../ui/health/recent-check-bars.tsx";
import { ArrowUpIcon, KindIcon, SilentIcon, WrenchIcon } from "../../../ui/icons.tsx";
import { Until } from "../../../ui/until.tsx";

/** Latest checks by monitor id, loaded separately from the rows. `undefined` while loading. */
export const RecentChecks = createContext<Readonly<Record<string, readonly RecentCheck[]>> | undefined>(undefined);

const Bars = memo(RecentCheckBars);

type MonitorBarsProps = { monitor: Pick<Monitor, "id" | "slowAfter">; className: string };

export function MonitorBars({ monitor: { id, slowAfter }, className }: MonitorBarsProps) {
  return <Bars recentChecks={useContext(RecentChecks)?.[id]} slowAfter={slowAfter} className={className} />;
}

export function MonitorTarget({ monitor: { type, target } }: { monitor: Monitor }) {
  const { t, i18n } = useTranslation();
  const shown = targetText(target, t, i18n.language);
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-mono text-[12px] text-faint">
      <KindIcon type={type} className="size-3.5" />
      <span title={shown} className="truncate">
        {shown.replace(/^https?:\/\//, "")}
      </span>
    </span>
  );
}

/** True if a row shows its error instead of the response time. */
export function isFailing(monitor: Monitor): boolean {
  return shownState(monitor) === "down" && monitor.lastError !== undefined;
}

export function Latest({ monitor: { type, responseTime, lastCheckedAt } }: { monitor: Monitor }) {
  const { i18n } = useTranslation();
  return isPassive(type) ? <LastReport at={lastCheckedAt} /> : formatDuration(responseTime, i18n.language);
}

export function Outcome({ monitor }: { monitor: Monitor }) {
  if (!isFailing(monitor)) {
    return (
      <span className="tnum whitespace-nowrap">
        <Latest monitor={monitor} />
      </span>
    );
  }
  return (
    <span
      // The complete text in the user's language, if it is cut off.
      onPointerEnter={({ currentTarget }) => (currentTarget.title = currentTarget.textContent)}
      className="line-clamp-2 text-[13px] leading-4 wrap-anywhere text-down-ink"
    >
      <Reason text={monitor.lastError} />
    </span>
  );
}

export function P95({ p95 }: { p95: Monitor["p95"] }) {
  const { i18n } = useTranslation();
  return (
    <span className="tnum flex flex-col leading-4 whitespace-nowrap">
      {formatDuration(p95?.last, i18n.language)} <P95Change p95={p95} />
    </span>
  );
}

/** Coloured only if the monitor became slower. */
export function P95Change({ p95 }: { p95: Monitor["p95"] }) {
  const { i18n } = useTranslation();
  if (p95?.change == null) return null;
  return (
    <span className={cx("text-[12px]", p95.slower ? "font-medium text-warn-ink" : "text-muted")}>
      {p95.slower && <ArrowUpIcon className="inline size-3 align-[-1px]" />}
      {formatChange(p95.change, i18n.language)}
    </span>
  );
}

const dayMs = 86_400_000;
/** Most certificates are renewed 30 days before they expire, and most checks fail at 14. */
const soonDays = 14;

const useDaysLeft = (at: string | undefined) =>
  useFromNow((nowMs) => (at === undefined ? Infinity : Math.floor((Date.parse(at) - nowMs) / dayMs)));

export function CertificateDays({ at }: { at: string | undefined }) {
  const { t, i18n } = useTranslation();
  const days = useDaysLeft(at);
  if (at === undefined) return null;
  const date = formatDateTime(at, i18n.language);
  return (
    <time
      dateTime={at}
      title={t(days < 0 ? "monitorList.certificate.since" : "monitorList.certificate.until", { date })}
      className={cx(
        "tnum whitespace-nowrap",
        days < 0 ? "text-down-ink" : days <= soonDays ? "text-warn-ink" : "text-muted",
      )}
    >
      {days < 0 ? t("monitorList.certificate.expired") : formatDays(days, i18n.language)}
    </time>
  );
}

/** Line below a row's name: maintenance, silence and a near expiry. */
export function MonitorNotes({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const { inMaintenance, silencedUntil, certificateExpiresAt } = monitor;
  const isSilent = useIsAhead(silencedUntil);
  const isExpiring = useDaysLeft(certificateExpiresAt) <= soonDays;
  if (inMaintenance !== true && !isSilent && !isExpiring) return null;
  return (
    <span className="flex min-w-0 items-center gap-x-2.5 text-[12px] leading-4 whitespace-nowrap text-maintenance-ink max-md:flex-wrap">
      {inMaintenance === true && (
        <span title={t("cells.maintenance")} className="flex min-w-4 items-center gap-1">
          <WrenchIcon className="size-3 shrink-0" />
          <span className="truncate">{t("cells.maintenance")}</span>
        </span>
      )}
      {isSilent && silencedUntil !== undefined && (
        <span className="flex min-w-4 shrink-0 items-center gap-1">
          <SilentIcon className="size-3 shrink-0" />
          <span className="inline-block first-letter:uppercase">
            {t("incidents.silencedUntil")} <Until at={silencedUntil} />
          </span>
        </span>
      )}
      {isExpiring && (
        <span className="truncate">
          <span className="text-faint">{t("monitorList.certificate.title")} </span>
          <CertificateDays at={certificateExpiresAt} />
        </span>
      )}
    </span>
  );
}
