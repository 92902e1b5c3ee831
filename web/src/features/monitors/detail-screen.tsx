import type { Monitor } from "@sonde/proto/http/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { errorText, statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { NoteCard } from "../../app/targets/note-card.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PulseIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { useMonitorQuery } from "./api.ts";
import { DetailHeader } from "./detail-header.tsx";
import { useDetailParams } from "./detail-params.ts";
import { DetailTiles } from "./detail-tiles.tsx";
import { HistoryCard } from "./history-card.tsx";
import { RecordsCard } from "./records-card.tsx";

// They stand below the fold; the second brings the forms of all kinds along.
const NotificationsCard = lazy(() => import("../../app/notifications/notifications-card.tsx"));
const Configuration = lazy(() => import("./configuration.tsx"));

/** Until the first result a monitor is looked at more often, should the live event come late. */
const pendingPollMs = 2000;

export default function DetailScreen() {
  const id = Number(useParams()["id"]);
  const known = Number.isInteger(id) && id > 0;
  const [isPending, setIsPending] = useState(false);
  const polling = usePolling();
  const { data, error, isFetching, refetch } = useMonitorQuery(id, {
    skip: !known,
    pollingInterval: isPending ? pendingPollMs : polling,
  });
  const monitor = data?.monitor;
  const pendingNow = monitor?.status === "pending";
  if (pendingNow !== isPending) setIsPending(pendingNow);

  if (!known || statusOf(error) === 404) {
    return <Missing text={errorText(error, "monitorMissing")} />;
  }
  if (monitor === undefined) {
    return error === undefined ? (
      <LoadingSkeleton />
    ) : (
      <Card>
        <ErrorState message={errorText(error, "fetchMonitors")} onRetry={() => void refetch()} retrying={isFetching} />
      </Card>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader monitor={monitor} error={error === undefined ? null : errorText(error, "fetchMonitors")} />
      <DetailTiles monitor={monitor} />
      <Records monitor={monitor} />
      <NoteCard note={monitor.note} />
      <Suspense fallback={<Skeleton className="h-48 w-full" />}>
        <NotificationsCard target={{ type: "monitor", id }} dependsOn={monitor.dependsOn} />
      </Suspense>
      <Suspense fallback={<Skeleton className="h-72 w-full" />}>
        <Configuration monitor={monitor} />
      </Suspense>
    </div>
  );
}

/** What was checked so far, in pictures and in rows. */
function Records({ monitor: { id, createdAt } }: { monitor: Monitor }) {
  const params = useDetailParams(createdAt);
  return (
    <>
      <HistoryCard id={id} params={params} />
      <RecordsCard id={id} params={params} />
    </>
  );
}

function Missing({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t("nav.monitors")} />
      <Card>
        <EmptyState
          icon={<PulseIcon />}
          title={<span role="alert">{text}</span>}
          action={<ButtonLink to={paths.monitors}>{t("monitor.back")}</ButtonLink>}
        />
      </Card>
    </>
  );
}

/** Placeholders while the monitor loads, higher than a screen as the page will be. */
function LoadingSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t("common.loading")} className="flex flex-col gap-4">
      <Skeleton className="h-16 w-2/3" />
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-96 w-full" />
      <Skeleton className="h-96 w-full" />
    </div>
  );
}
