import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { formatPeriod } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { cx } from "../../ui/cx.ts";
import { IncidentList } from "../../ui/health/incident-list.tsx";
import { CheckIcon, CrossIcon, DashIcon, PauseIcon, PendingIcon, WarnIcon } from "../../ui/icons.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { AgentsCard, CertificatesCard } from "./cards.tsx";
import { type Dashboard, type Gaps, hasAgents } from "./live.ts";
import { Part, StateCount } from "./part.tsx";

export function SourceProblems({ dashboard: { sourceProblems = [] } }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return sourceProblems.map(({ source, problem }) => (
    <Alert key={source} kind="error">
      <p className="font-medium break-words">{t("dashboard.notApplied", { source })}</p>
      <p className="break-words whitespace-pre-line">{problem}</p>
      {mayChange && (
        <Link to={paths.sources} className="inline-flex min-h-6 items-center underline">
          {t("nav.sources")}
        </Link>
      )}
    </Alert>
  ));
}

/** `unreachable` is absent from a gateway of the previous version. */
export function OnCallGaps({ gaps, unreachable = [] }: Pick<Gaps, "gaps"> & Partial<Gaps>) {
  return (
    <>
      <GapsAhead gaps={gaps} />
      {unreachable.map((one) => (
        <UnreachableNow key={one.scheduleId} {...one} />
      ))}
    </>
  );
}

function UnreachableNow({ scheduleId, name, person }: Gaps["unreachable"][number]) {
  const { t } = useTranslation();
  return (
    <Alert kind="error">
      <Link to={`${paths.onCall}?schedule=${scheduleId}`} className="font-medium underline">
        {t("dashboard.gaps.unreachable", { person })}
      </Link>
      <p className="break-words">{t("dashboard.gaps.unreachableText", { name, person })}</p>
    </Alert>
  );
}

function GapsAhead({ gaps: [first, ...rest] }: Pick<Gaps, "gaps">) {
  const { t, i18n } = useTranslation();
  if (first === undefined) return null;
  const period = formatPeriod({ fromMs: Date.parse(first.start), toMs: Date.parse(first.end) }, i18n.language);
  return (
    <Alert kind="error">
      <Link to={`${paths.onCall}?schedule=${first.scheduleId}`} className="font-medium underline">
        {t("dashboard.gaps.title")}
      </Link>
      <p className="break-words">
        {t("dashboard.gaps.line", { name: first.name, period })}
        {rest.length > 0 && ` (${t("dashboard.gaps.more", { count: rest.length })})`}
      </p>
    </Alert>
  );
}

export function Side({ dashboard }: { dashboard: Dashboard }) {
  const { certificates } = dashboard;
  return (
    <div className="grid gap-4">
      {certificates !== null && certificates.total > 0 && <CertificatesCard certificates={certificates} />}
      {hasAgents(dashboard) && <AgentsCard dashboard={dashboard} />}
    </div>
  );
}

const NeverProven = lazy(() => import("./never-proven.tsx"));

export function Below({ dashboard }: { dashboard: Dashboard }) {
  const { mayChange } = useSession();
  return (
    <>
      <StatesCard counts={dashboard.monitors} />
      <EndedCard dashboard={dashboard} />
      {/* Last, because it appears late. */}
      <Suspense>{mayChange && <NeverProven />}</Suspense>
    </>
  );
}

const states = [
  { status: "down", bar: "bg-down", ink: "text-down-ink", icon: CrossIcon },
  { status: "slow", bar: "bg-warn", ink: "text-warn-ink", icon: WarnIcon },
  { status: "stale", bar: "hatched", ink: "text-idle-ink", icon: DashIcon },
  { status: "up", bar: "bg-up", ink: "text-up-ink", icon: CheckIcon },
  { status: "pending", bar: "bg-idle", ink: "text-idle-ink", icon: PendingIcon },
  { status: "paused", bar: "hatched", ink: "text-idle-ink", icon: PauseIcon },
] as const;

function StatesCard({ counts }: { counts: Dashboard["monitors"] }) {
  const { t } = useTranslation();
  // Slow monitors also count as up.
  const { slow = 0 } = counts ?? {};
  return (
    <Part
      title={t("dashboard.states")}
      more={{ to: paths.monitors, label: t("dashboard.viewAll") }}
      flush={false}
      isUnavailable={counts === null}
    >
      <div aria-hidden="true" className="flex h-3 gap-[2px] overflow-hidden rounded-sm bg-sunken">
        {states.map(({ status, bar }) => {
          const count = (counts?.[status] ?? 0) - (status === "up" ? slow : 0);
          if (count === 0) return null;
          return <span key={status} style={{ flexGrow: count }} className={cx("min-w-1 rounded-[2px]", bar)} />;
        })}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1">
        {states.map(({ status, ink, icon }) =>
          status === "slow" && slow === 0 ? null : (
            <StateCount
              key={status}
              icon={icon}
              ink={ink}
              to={`${paths.monitors}?status=${status}`}
              label={t(`status.list.${status === "stale" ? "noData" : status}`)}
              count={counts?.[status] ?? 0}
            />
          ),
        )}
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
      isUnavailable={ended === null || (isNone && isPartial)}
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
