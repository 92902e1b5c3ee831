import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { formatNumber } from "../../lib/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { IncidentNotes, Lasted } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { CheckIcon, CrossIcon, DashIcon, EyeIcon, WarnIcon } from "../../ui/icons.tsx";
import { NameLink } from "../../lists/name-link.tsx";
import type { Dashboard } from "./live.ts";
import { Part } from "./part.tsx";

/** What is wrong now: every open incident with its target, its cause and how long it lasts. One calm line where nothing is. */
export function OpenIncidents({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const { open, incidents, unavailable } = dashboard;
  const isPartial = unavailable?.includes("open") === true;
  if (open?.length === 0 && incidents === 0 && !isPartial) return <NothingOpen dashboard={dashboard} />;
  const isKnown = open !== null && (open.length > 0 || !isPartial);
  const more = incidents === null || open === null ? 0 : incidents - open.length;
  return (
    <Part
      title={t("dashboard.incidents")}
      count={incidents}
      countTo={allOpen}
      more={{ to: paths.incidents, label: t("dashboard.allIncidents") }}
      className={open !== null && open.length > 0 ? "border-down/55!" : undefined}
    >
      {!isKnown && <p className="p-5 text-muted">{t("dashboard.unavailable")}</p>}
      {isKnown && isPartial && <p className="px-5 pt-3 text-muted">{t("dashboard.recentPartial")}</p>}
      {isKnown && (
        <ul className="divide-y divide-line">
          {open.map((incident) => (
            <OpenIncident key={incident.id} incident={incident} />
          ))}
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

const allOpen = `${paths.incidents}?open=true`;

/** One line where there is room, so that ten stand on one screen; name and duration above the cause on a phone. */
function OpenIncident({ incident }: { incident: Incident }) {
  const { id, target, cause, openedAt, kind, acknowledgedAt } = incident;
  // Amber where it is acknowledged, or the target's state is unknown; else red. The cause holds it in words.
  const isAcknowledged = acknowledgedAt !== undefined;
  const Icon = isAcknowledged ? EyeIcon : kind === "stale" ? DashIcon : kind === "threshold" ? WarnIcon : CrossIcon;
  const ink = isAcknowledged || kind === "stale" ? "text-warn-ink" : "text-down-ink";
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-baseline gap-x-3 px-4 py-2 md:grid-cols-[1rem_minmax(0,15rem)_minmax(0,1fr)_auto] md:px-5">
      <Icon className={cx("mt-1 size-4 self-start", ink)} />
      <NameLink to={paths.incident(id)} name={target.name} />
      <p className="text-[13px] text-muted max-md:order-1 max-md:col-span-2 max-md:col-start-2">
        <Reason text={cause} />
        <IncidentNotes incident={incident} />
      </p>
      <p className="tnum min-w-24 text-right text-[13px] whitespace-nowrap">
        <Lasted from={openedAt} to={undefined} />
      </p>
    </li>
  );
}

/** Nothing is wrong: one calm line with how many are well. */
function NothingOpen({ dashboard: { monitors, agents } }: { dashboard: Dashboard }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  const isWell = monitors?.down === 0 && monitors.stale === 0 && agents?.offline === 0;
  return (
    <section className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-up/45 bg-surface px-4 py-3 md:px-5">
      <h2 className="flex items-center gap-2 text-[15px] font-semibold">
        <CheckIcon className="size-5 text-up-ink" />
        {t(isWell ? "dashboard.allWell" : "dashboard.noneOpen")}
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
