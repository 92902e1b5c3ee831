import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { AcknowledgeButton } from "../../entities/incidents/acknowledge-button.tsx";
import { useSession } from "../../app/hooks.ts";
import { useAcknowledgeMany } from "../../entities/incidents/bulk.ts";
import { paths } from "../../app/paths.ts";
import { formatNumber } from "../../lib/format.ts";
import { NameLink } from "../../lists/name-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { IncidentNotes, Lasted } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { RecentCheckBars } from "../../ui/health/recent-check-bars.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { CheckIcon, CrossIcon, DashIcon, EyeIcon, WarnIcon } from "../../ui/icons.tsx";
import { SilencedBadge } from "../../ui/until.tsx";
import { type AttentionRow, attentionRows } from "./attention-rows.ts";
import type { Dashboard } from "./live.ts";
import { Part } from "./part.tsx";

// Loaded late, to keep the first page small.
const SharedCauses = lazy(() => import("../../entities/incidents/shared-causes.tsx"));
const maxRows = 20;
const allOpen = `${paths.incidents}?open=true`;

export function Attention({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const { open, incidents, unavailable, sharedCauses } = dashboard;
  const rows = attentionRows(dashboard);
  const isPartial = unavailable?.includes("open") === true;
  if (rows.length === 0 && open !== null && incidents === 0 && !isPartial) return <NothingOpen dashboard={dashboard} />;
  const isKnown = rows.length > 0 || (open !== null && !isPartial);
  const hidden = rows.slice(maxRows).reduce((sum, { alike }) => sum + (alike?.length ?? 1), 0);
  const more = hidden + (incidents === null || open === null ? 0 : Math.max(0, incidents - open.length));
  const isCalm = rows.every(({ incident }) => incident?.acknowledgedAt !== undefined);
  return (
    <Part
      title={t("dashboard.attention.title")}
      count={incidents === 0 ? null : incidents}
      countTo={allOpen}
      more={{ to: paths.incidents, label: t("dashboard.allIncidents") }}
      className={isCalm ? undefined : "border-down/55!"}
    >
      {!isKnown && <p className="p-5 text-muted">{t("dashboard.unavailable")}</p>}
      {isKnown && isPartial && <p className="px-5 pt-3 text-muted">{t("dashboard.recentPartial")}</p>}
      {sharedCauses && (
        <Suspense fallback={<div className="h-11" />}>
          <SharedCauses causes={sharedCauses} />
        </Suspense>
      )}
      {isKnown && (
        <ul className="divide-y divide-line">
          {rows
            .slice(0, maxRows)
            .map((row) =>
              row.alike === undefined ? <RowLine key={row.key} row={row} /> : <OutageLine key={row.key} row={row} />,
            )}
        </ul>
      )}
      {more > 0 && (
        <p className="border-t border-line px-4 py-2 md:px-5">
          <Link to={allOpen} className="inline-flex min-h-6 items-center text-accent-strong hover:underline">
            {t("dashboard.moreOpen", { count: more })}
          </Link>
        </p>
      )}
    </Part>
  );
}

const icons = {
  down: CrossIcon,
  offline: CrossIcon,
  stale: DashIcon,
  threshold: WarnIcon,
  partial: WarnIcon,
  slow: WarnIcon,
  external: WarnIcon,
  slo: WarnIcon,
  flapping: WarnIcon,
};

const lineClass = cx(
  "grid min-h-11 grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 focus-within:bg-sunken/60 md:px-5",
  "md:grid-cols-[1rem_minmax(0,1fr)_auto_9rem]",
);
/** Below the name, as wide as the row. */
const causeClass = "order-1 col-start-2 -col-end-1 min-w-0 text-[13px] text-muted";
const spanClass = "tnum text-[13px] whitespace-nowrap max-md:order-2 max-md:col-start-2 md:min-w-28 md:text-right";
const buttonClass = "flex justify-end max-md:order-2";

function OutageLine({ row: { incident, alike = [], kind } }: { row: AttentionRow }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const hotkey = useHotkeys();
  const [acknowledgeMany, isLoading] = useAcknowledgeMany();
  const { target, cause, openedAt, acknowledgedAt } = incident!;
  const isAcknowledged = acknowledgedAt !== undefined;
  const names = alike.map(({ target: { name } }) => name).join(", ");
  const Icon = isAcknowledged ? EyeIcon : icons[kind];
  const since = alike.map((each) => each.openedAt).reduce((one, other) => (one < other ? one : other), openedAt);
  return (
    <li
      data-row
      data-dimmed={isAcknowledged || undefined}
      className={cx(lineClass, isAcknowledged && "bg-sunken/50 text-muted")}
    >
      <Icon className={cx("size-4", isAcknowledged ? "text-faint" : inkOf(kind))} />
      <NameLink
        to={`${allOpen}&acknowledged=${isAcknowledged}&search=${encodeURIComponent(cause)}`}
        name={t(`incidents.alike.${target.type}`, { count: alike.length })}
        title={names}
        className="max-md:col-span-2"
      />
      <span className={causeClass}>
        <span className={cx("block", !isAcknowledged && "font-medium text-ink")}>
          <Reason text={cause} />
        </span>
        <span className="block truncate">{names}</span>
      </span>
      <span className={spanClass}>
        <Lasted from={since} to={undefined} />
      </span>
      <span className={buttonClass}>
        {mayChange && !isAcknowledged && (
          <Button
            size="sm"
            {...hotkey("a")}
            saving={isLoading}
            savingLabel={t("incidents.acknowledging")}
            onClick={() => void acknowledgeMany(alike.map(({ id }) => id))}
          >
            <CheckIcon />
            {t("incidents.acknowledgeAll")}
          </Button>
        )}
      </span>
    </li>
  );
}

const inkOf = (kind: AttentionRow["kind"]) =>
  kind === "down" || kind === "offline" ? "text-down-ink" : "text-warn-ink";

/** The cause has its own line, because it is what users look for. The incident's page shows longer ones. */
function RowLine({ row: { incident, monitor, kind } }: { row: AttentionRow }) {
  const { t } = useTranslation();
  const isAcknowledged = incident?.acknowledgedAt !== undefined;
  // Amber if the state is unknown, otherwise red. The cause says the same in words.
  const Icon = isAcknowledged ? EyeIcon : icons[kind];
  const ink = isAcknowledged ? "text-faint" : inkOf(kind);
  const name = incident?.target.name ?? monitor?.name ?? "";
  const to = incident === undefined ? paths.monitor(monitor?.id ?? 0) : paths.incident(incident.id);
  const since = incident?.openedAt ?? monitor?.statusSince;
  return (
    <li
      data-row
      data-dimmed={isAcknowledged || undefined}
      className={cx(lineClass, isAcknowledged && "bg-sunken/50 text-muted")}
    >
      <Icon className={cx("size-4", ink)} />
      <span className="flex min-w-0 items-center gap-2 max-md:col-span-2">
        <NameLink to={to} name={name} className={isAcknowledged ? "font-normal!" : undefined} />
        {monitor?.flapping === true && kind !== "down" && (
          <Badge tone="warn" className="shrink-0">
            {t("dashboard.attention.flapping")}
          </Badge>
        )}
        {monitor?.inMaintenance === true && (
          <Badge tone="maintenance" className="shrink-0">
            {t("dashboard.attention.maintenance")}
          </Badge>
        )}
        {incident === undefined && <SilencedBadge until={monitor?.silencedUntil} />}
        {monitor?.recentChecks != null && (
          <RecentCheckBars
            recentChecks={monitor.recentChecks}
            slowAfter={monitor.slowAfter}
            className="ml-auto w-24 shrink-0 max-xl:hidden"
          />
        )}
      </span>
      <span
        onPointerEnter={({ currentTarget }) => (currentTarget.title = currentTarget.textContent)}
        className={cx(causeClass, "line-clamp-3 break-words")}
      >
        {incident === undefined ? (
          kind === "stale" || kind === "slow" ? (
            t(`status.list.${kind === "stale" ? "noData" : kind}`)
          ) : (
            <Reason text={monitor?.lastError} />
          )
        ) : (
          <>
            <Reason text={incident.cause} />
            <IncidentNotes incident={incident} />
          </>
        )}
      </span>
      <span className={spanClass}>{since !== undefined && <Lasted from={since} to={undefined} />}</span>
      <span className={buttonClass}>
        {incident !== undefined && <AcknowledgeButton incident={incident} variant="secondary" size="sm" />}
      </span>
    </li>
  );
}

function NothingOpen({ dashboard: { monitors, agents } }: { dashboard: Dashboard }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  const isHealthy = monitors?.down === 0 && monitors.stale === 0 && agents?.offline === 0;
  return (
    <section className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-up/45 bg-surface px-4 py-3 md:px-5">
      <h2 className="flex items-center gap-2 text-[15px] font-semibold">
        <CheckIcon className="size-5 text-up-ink" />
        {t(isHealthy ? "dashboard.allWell" : "dashboard.noneOpen")}
      </h2>
      <p className="tnum flex flex-wrap gap-x-4 text-muted">
        {monitors !== null && monitors.total > 0 && (
          <Link to={`${paths.monitors}?status=up`} className="hover:underline">
            {t("dashboard.monitorsUp", { count: monitors.up, shown: number(monitors.up) })}
          </Link>
        )}
        {agents !== null && agents.total > 0 && (
          <Link to={`${paths.agents}?status=online`} className="hover:underline">
            {t("dashboard.agentsOnline", { count: agents.online, shown: number(agents.online) })}
          </Link>
        )}
      </p>
      <ButtonLink to={paths.incidents} variant="ghost" size="sm" className="ml-auto max-sm:hidden">
        {t("dashboard.allIncidents")}
      </ButtonLink>
    </section>
  );
}
