import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { usePolling } from "../../app/hooks.ts";
import { LostLocations } from "../../app/locations.tsx";
import { Loaded } from "../../app/screen.tsx";
import { useTimeUp } from "../../lib/hooks.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { RefreshIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Attention } from "./attention.tsx";
import { attentionRows } from "./attention-rows.ts";
import { LatestChanges, SlowerCard } from "./cards.tsx";
import { Figures } from "./figures.tsx";
import { type Dashboard, type Gaps, hasAgents, useDashboardQuery, useGapsQuery } from "./live.ts";
import {
  FirstSteps,
  type FirstStepsState,
  hasTargets,
  NobodyNotified,
  NothingYet,
  useFirstSteps,
} from "./first-steps.tsx";
import { Below, OnCallGaps, Side, SourceProblems } from "./rest.tsx";

/** How long the figures wait for the first steps. */
const maxWaitMs = 300;

export default function DashboardScreen() {
  const { t } = useTranslation();
  const query = useDashboardQuery(undefined, { pollingInterval: usePolling() });
  const first = useFirstSteps();
  const { error } = query;
  const isTimeUp = useTimeUp(maxWaitMs);
  // Shown together, so that the layout does not shift.
  const gaps = useGapsQuery(undefined, { refetchOnMountOrArgChange: true });
  const isLoading = first.isLoading || gaps.isLoading;
  const isWaiting = isLoading && !(isTimeUp && query.data && hasTargets(query.data));
  const data = isWaiting ? undefined : query.data;
  // Live events refetch every few seconds. Only the button shows a refetch.
  const [isRefreshing, setRefreshing] = useState(false);
  async function refresh() {
    setRefreshing(true);
    await query.refetch();
    setRefreshing(false);
  }
  return (
    // Full screen height keeps the footer below while data loads.
    <div className="min-h-dvh">
      <PageHeader
        title={t("dashboard.title")}
        actions={
          <Button onClick={() => void refresh()} saving={isRefreshing} savingLabel={t("common.refreshing")}>
            <RefreshIcon />
            {t("common.refresh")}
          </Button>
        }
      />
      {/* Mounted early to load its data, but hidden until the figures are shown, to avoid a layout shift. */}
      <div hidden={data === undefined && error === undefined}>
        <LostLocations className="mb-4" />
      </div>
      {error !== undefined && data !== undefined && (
        <Alert kind="error" className="mb-4">
          {errorText(error, "fetchData")}
        </Alert>
      )}
      <Loaded query={{ ...query, data }} fallback="fetchData" placeholder={<Placeholder />}>
        {(dashboard) => <Overview data={dashboard} first={first} gaps={gaps.data} isComplete={!isLoading} />}
      </Loaded>
    </div>
  );
}

type OverviewProps = { data: Dashboard; first: FirstStepsState; gaps: Gaps | undefined; isComplete: boolean };

function Overview({ data, first, gaps, isComplete }: OverviewProps) {
  // Without monitors and agents the page shows a welcome with the totals and no verdict.
  const isEmpty = data.monitors?.total === 0 && data.agents?.total === 0;
  // What comes late is shown last, so that nothing moves.
  const [isLate] = useState(!isComplete);
  const firstSteps = (
    <>
      {gaps !== undefined && <OnCallGaps {...gaps} />}
      <NobodyNotified dashboard={data} first={first} />
      {first.setup !== undefined ? (
        <FirstSteps dashboard={data} first={first} isEmpty={isEmpty} />
      ) : (
        isEmpty && <NothingYet />
      )}
    </>
  );
  const hasSide = hasAgents(data) || (data.certificates?.total ?? 0) > 0;
  return (
    <div className="flex flex-col gap-4">
      <SourceProblems dashboard={data} />
      {!isLate && firstSteps}
      <Figures dashboard={data} isEmpty={isEmpty} />
      {!isEmpty && (
        <>
          <div
            className={cx(
              hasSide && "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_22rem]",
            )}
          >
            <div className="flex min-w-0 flex-col gap-4">
              <Attention dashboard={data} />
              {attentionRows(data).length === 0 && <LatestChanges dashboard={data} />}
              {/* Last, so that nothing beside or above it moves when it appears. */}
              {data.slower !== null && data.slower.total > 0 && <SlowerCard slower={data.slower} />}
            </div>
            {hasSide && <Side dashboard={data} />}
          </div>
          <Below dashboard={data} />
        </>
      )}
      {isLate && firstSteps}
    </div>
  );
}

/** Replaced as a whole when the data arrives, so that the layout does not shift. */
function Placeholder() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-[6.75rem] w-full rounded-lg" />
        ))}
      </div>
      <div className="grid gap-4 lg:grid-cols-3">
        <Skeleton className="h-96 w-full rounded-lg lg:col-span-2" />
        <Skeleton className="h-96 w-full rounded-lg max-lg:hidden" />
      </div>
    </div>
  );
}
