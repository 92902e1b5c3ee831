import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { LostLocations } from "../../app/lost-locations.tsx";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { formatNumber, formatPercent } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckIcon, RefreshIcon } from "../../ui/icons.tsx";
import { IncidentList } from "../../ui/incident-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { Tile, TileRow } from "../../ui/tile.tsx";
import { AgentTotals } from "./agent-totals.tsx";
import { useDashboardQuery } from "./api.ts";
import type { Dashboard } from "./live.ts";
import { FirstSteps } from "./first-steps.tsx";
import { StateStrip } from "./state-strip.tsx";

export default function DashboardScreen() {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useDashboardQuery(undefined, { pollingInterval: usePolling() });
  const isEmpty = watchesNothing(data);
  return (
    <>
      <PageHeader
        title={t("dashboard.title")}
        actions={
          <Button onClick={() => void refetch()} saving={isFetching} savingLabel={t("common.refreshing")}>
            <RefreshIcon />
            {t("common.refresh")}
          </Button>
        }
      />
      <LostLocations className="mb-4" />
      {error !== undefined && data !== undefined && (
        <Alert kind="error" className="mb-4">
          {errorText(error, "fetchData")}
        </Alert>
      )}
      {error !== undefined && data === undefined ? (
        <Card>
          <ErrorState message={errorText(error, "fetchData")} onRetry={() => void refetch()} retrying={isFetching} />
        </Card>
      ) : isEmpty ? (
        <>
          <Figures data={data} />
          <FirstSteps />
        </>
      ) : (
        <Overview data={data} />
      )}
    </>
  );
}

/** A Sonde without monitors and agents: its totals stand beside the welcome, and nothing is called well or not. */
function watchesNothing(data: Dashboard | undefined): boolean {
  return data !== undefined && data.monitors?.total === 0 && data.agents?.total === 0;
}

/** The figures; placeholders until they are here, so that nothing moves then. */
function Overview({ data }: { data: Dashboard | undefined }) {
  const { t } = useTranslation();
  const isPartial = data?.unavailable?.includes("recent") === true;
  return (
    <div className="flex flex-col gap-4">
      <Figures data={data} />
      <Card
        title={t("dashboard.states")}
        actions={
          <ButtonLink to={paths.monitors} variant="ghost" size="sm">
            {t("dashboard.viewAll")}
          </ButtonLink>
        }
      >
        {data === undefined ? (
          <Skeleton className="h-[62px] w-full" />
        ) : data.monitors === null ? (
          <Unavailable />
        ) : (
          <StateStrip counts={data.monitors} />
        )}
      </Card>
      {data?.agents === null ? (
        <Card title={t("dashboard.agents.title")}>
          <Unavailable />
        </Card>
      ) : (
        data !== undefined && data.agents.total > 0 && <AgentTotals agents={data.agents} />
      )}
      <Card
        title={t("dashboard.recent")}
        flush
        actions={
          <ButtonLink to={paths.incidents} variant="ghost" size="sm">
            {t("dashboard.allIncidents")}
          </ButtonLink>
        }
      >
        {data === undefined ? (
          <div className="p-5">
            <Skeleton className="h-24 w-full" />
          </div>
        ) : data.recent === null || (data.recent.length === 0 && (isPartial || data.incidents === null)) ? (
          <div className="p-5">
            <Unavailable />
          </div>
        ) : data.recent.length === 0 ? (
          <EmptyState icon={<CheckIcon />} title={t("dashboard.noIncidents")} className="py-9">
            {t("dashboard.noIncidentsText")}
          </EmptyState>
        ) : (
          <>
            {isPartial && <p className="px-5 pt-4 text-muted">{t("dashboard.recentPartial")}</p>}
            <IncidentList incidents={data.recent} pageOf={paths.incident} named />
          </>
        )}
      </Card>
    </div>
  );
}

/** In place of a part that the server could not tell just now. */
function Unavailable() {
  const { t } = useTranslation();
  return <p className="text-muted">{t("dashboard.unavailable")}</p>;
}

function Figures({ data }: { data: Dashboard | undefined }) {
  const { t, i18n } = useTranslation();
  const skeleton = <Skeleton className="h-6 w-16" />;
  const number = (value: number | null | undefined) =>
    value === undefined ? skeleton : value === null ? "–" : formatNumber(value, i18n.language);
  const { monitors, uptime, incidents } = data ?? {};
  const noteOf = <Part,>(part: Part | null | undefined, note: (part: Part) => ReactNode) =>
    part === undefined ? null : part === null ? t("dashboard.unavailable") : note(part);
  return (
    <TileRow className="lg:grid-cols-4">
      <Tile
        label={t("dashboard.total")}
        value={number(monitors === null ? null : monitors?.total)}
        note={noteOf(monitors, ({ down }) =>
          down > 0 ? <span className="text-down-ink">{t("dashboard.down", { count: down })}</span> : null,
        )}
      />
      <Tile
        label={t("dashboard.active")}
        value={number(monitors === null ? null : monitors?.active)}
        note={noteOf(monitors, ({ paused }) => (paused > 0 ? t("dashboard.paused", { count: paused }) : null))}
      />
      <Tile
        label={t("dashboard.uptime")}
        value={uptime === undefined ? skeleton : formatPercent(uptime?.h24 ?? null, i18n.language)}
        note={noteOf(
          uptime,
          ({ d30 }) =>
            `${t("dashboard.uptimeNote")} · ${t("dashboard.uptimeNote30", { percent: formatPercent(d30, i18n.language) })}`,
        )}
      />
      <Tile
        label={t("dashboard.incidents")}
        value={number(incidents)}
        tone={(incidents ?? 0) > 0 ? "down" : "plain"}
        note={noteOf(incidents, (count) => (count === 0 && !watchesNothing(data) ? t("dashboard.allWell") : null))}
      />
    </TileRow>
  );
}
