import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { formatNumber, formatPercent } from "../../lib/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Tile, TileRow } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { IncidentList } from "../../ui/health/incident-list.tsx";
import {
  CheckIcon,
  CrossIcon,
  DashIcon,
  PauseIcon,
  PendingIcon,
  PlusIcon,
  PulseIcon,
  ServerIcon,
} from "../../ui/icons.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { AgentsCard, AttentionCard, CertificatesCard } from "./cards.tsx";
import type { Dashboard } from "./live.ts";
import { Part, StateCount } from "./part.tsx";

type RestProps = { dashboard: Dashboard; isEmpty: boolean };

/** Everything below what is wrong now: what needs attention, totals, what ended. Of a Sonde that watches nothing, what to do. */
export default function Rest({ dashboard, isEmpty }: RestProps) {
  const figures = <Figures dashboard={dashboard} isEmpty={isEmpty} />;
  if (isEmpty) {
    return (
      <>
        {figures}
        <FirstSteps />
      </>
    );
  }
  const { agents, certificates } = dashboard;
  const hasAgents = agents === null || agents.total > 0;
  const hasCertificates = certificates !== null && certificates.total > 0;
  const hasSide = hasAgents || hasCertificates;
  return (
    <>
      <div
        className={cx(
          hasSide && "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem]",
        )}
      >
        <AttentionCard dashboard={dashboard} />
        {hasSide && (
          <div className="grid gap-4">
            {hasCertificates && <CertificatesCard certificates={certificates} />}
            {hasAgents && <AgentsCard dashboard={dashboard} />}
          </div>
        )}
      </div>
      {figures}
      <StatesCard counts={dashboard.monitors} />
      <EndedCard dashboard={dashboard} />
    </>
  );
}

function Figures({ dashboard: { monitors, uptime, incidents }, isEmpty }: RestProps) {
  const { t, i18n } = useTranslation();
  const figure = (value: ReactNode, to: string) => (
    <Link to={to} className="rounded-sm hover:underline">
      {value}
    </Link>
  );
  const number = (value: number | null | undefined, to: string) =>
    value == null ? "–" : figure(formatNumber(value, i18n.language), to);
  const noteOf = <Known,>(part: Known | null, note: (part: Known) => ReactNode) =>
    part === null ? t("dashboard.unavailable") : note(part);
  const monitorsNote = (status: "down" | "paused", className: string) =>
    noteOf(monitors, ({ [status]: count }) =>
      count > 0 ? (
        <Link to={`${paths.monitors}?status=${status}`} className={cx(className, "hover:underline")}>
          {t(`dashboard.${status}`, { count })}
        </Link>
      ) : null,
    );
  return (
    <TileRow className="lg:grid-cols-4">
      <Tile
        label={t("dashboard.total")}
        value={number(monitors?.total, paths.monitors)}
        note={monitorsNote("down", "text-down-ink")}
      />
      <Tile
        label={t("dashboard.active")}
        value={number(monitors?.active, `${paths.monitors}?status=active`)}
        note={monitorsNote("paused", "")}
      />
      <Tile
        label={t("dashboard.uptime")}
        value={
          uptime?.h24 == null ? "–" : figure(formatPercent(uptime.h24, i18n.language), `${paths.monitors}?sort=uptime`)
        }
        note={noteOf(
          uptime,
          ({ d30 }) =>
            `${t("dashboard.uptimeNote")} · ${t("dashboard.uptimeNote30", { percent: formatPercent(d30, i18n.language) })}`,
        )}
      />
      <Tile
        label={t("dashboard.incidents")}
        value={number(incidents, `${paths.incidents}?open=true`)}
        tone={(incidents ?? 0) > 0 ? "down" : "plain"}
        note={noteOf(incidents, (count) => (count === 0 && !isEmpty ? t("dashboard.allWell") : null))}
      />
    </TileRow>
  );
}

const states = [
  { status: "down", bar: "bg-down", ink: "text-down-ink", icon: CrossIcon },
  { status: "stale", bar: "hatched", ink: "text-idle-ink", icon: DashIcon },
  { status: "up", bar: "bg-up", ink: "text-up-ink", icon: CheckIcon },
  { status: "pending", bar: "bg-idle", ink: "text-idle-ink", icon: PendingIcon },
  { status: "paused", bar: "hatched", ink: "text-idle-ink", icon: PauseIcon },
] as const;

/** How many monitors are in which state: one bar in proportion, and a link to each state's list. */
function StatesCard({ counts }: { counts: Dashboard["monitors"] }) {
  const { t } = useTranslation();
  return (
    <Part
      title={t("dashboard.states")}
      more={{ to: paths.monitors, label: t("dashboard.viewAll") }}
      flush={false}
      isAway={counts === null}
    >
      <div aria-hidden="true" className="flex h-3 gap-[2px] overflow-hidden rounded-sm bg-sunken">
        {states.map(({ status, bar }) => {
          const count = counts?.[status] ?? 0;
          if (count === 0) return null;
          return <span key={status} style={{ flexGrow: count }} className={cx("min-w-1 rounded-[2px]", bar)} />;
        })}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1">
        {states.map(({ status, ink, icon }) => (
          <StateCount
            key={status}
            icon={icon}
            ink={ink}
            to={`${paths.monitors}?status=${status}`}
            label={t(`status.list.${status === "stale" ? "noData" : status}`)}
            count={counts?.[status] ?? 0}
          />
        ))}
      </ul>
    </Part>
  );
}

function EndedCard({ dashboard: { ended, incidents, unavailable } }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const isPartial = unavailable?.includes("ended") === true;
  const isNone = ended?.length === 0;
  return (
    <Part
      title={t("dashboard.ended")}
      more={{ to: `${paths.incidents}?open=false&sort=-closedAt`, label: t("dashboard.allEnded") }}
      isAway={ended === null || (isNone && isPartial)}
    >
      {!isNone ? (
        <>
          {isPartial && <p className="px-5 pt-4 text-muted">{t("dashboard.recentPartial")}</p>}
          <IncidentList incidents={ended ?? []} pageOf={paths.incident} named />
        </>
      ) : incidents === 0 ? (
        <EmptyState icon={<CheckIcon />} title={t("dashboard.noIncidents")} className="py-9">
          {t("dashboard.noIncidentsText")}
        </EmptyState>
      ) : (
        <p className="p-5 text-muted">{t("dashboard.noneEnded")}</p>
      )}
    </Part>
  );
}

/** The dashboard of a Sonde that watches nothing yet: the two things to do. */
function FirstSteps() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const step = (what: "monitor" | "agent", icon: ReactNode, to: string) => (
    <div className="flex flex-col items-start gap-1 rounded-lg border border-line bg-surface p-5">
      <span className="mb-1 text-accent [&>svg]:size-6">{icon}</span>
      <h3 className="text-[15px] font-semibold">{t(`dashboard.empty.${what}`)}</h3>
      <p className="text-muted">{t(`dashboard.empty.${what}Text`)}</p>
      <div className="mt-auto pt-4">
        {mayChange && (
          <ButtonLink to={to} variant={what === "monitor" ? "primary" : "secondary"}>
            <PlusIcon />
            {t(`dashboard.empty.${what}Action`)}
          </ButtonLink>
        )}
      </div>
    </div>
  );
  return (
    <section className="py-4 md:py-8">
      <h2 className="text-lg font-semibold">{t("dashboard.empty.title")}</h2>
      <p className="text-muted">{t("dashboard.empty.text")}</p>
      <div className="mt-5 grid gap-4 md:grid-cols-2">
        {step("monitor", <PulseIcon />, paths.monitorCreate)}
        {step("agent", <ServerIcon />, paths.agentCreate)}
      </div>
    </section>
  );
}
