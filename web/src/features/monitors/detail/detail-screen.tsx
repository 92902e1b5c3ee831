import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { usePolling } from "../../../app/hooks.ts";
import { DetailPlaceholder, isId, isMissing, Loaded } from "../../../app/screen.tsx";
import { NoteCard } from "../../../app/targets/target-line.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useMonitorQuery } from "../api.ts";
import { DetailHeader } from "./detail-header.tsx";
import { useDetailParams } from "./detail-params.ts";
import { DetailTiles } from "./detail-tiles.tsx";
import { HistoryCard } from "../history/history-card.tsx";
import { RecordsCard } from "./records-card.tsx";
import { MissingMonitor } from "../stored-monitor.tsx";

// They stand below the fold; the second brings the forms of all kinds along.
const NotificationsCard = lazy(() => import("../../../app/notifications/notifications-card.tsx"));
const Configuration = lazy(() => import("./configuration.tsx"));

/** Until the first result a monitor is looked at more often, should the live event come late. */
const pendingPollMs = 2000;

export default function DetailScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const [isPending, setIsPending] = useState(false);
  const polling = usePolling();
  const query = useMonitorQuery(id, { skip: !isId(id), pollingInterval: isPending ? pendingPollMs : polling });
  const { data, error } = query;
  const pendingNow = data?.monitor.status === "pending";
  if (pendingNow !== isPending) setIsPending(pendingNow);

  if (isMissing(id, error)) {
    return (
      <>
        <PageHeader title={t("nav.monitors")} />
        <MissingMonitor error={error} />
      </>
    );
  }
  return (
    <Loaded query={query} fallback="fetchMonitors" placeholder={<DetailPlaceholder />}>
      {({ monitor }) => <Detail monitor={monitor} error={error} />}
    </Loaded>
  );
}

function Detail({ monitor, error }: { monitor: Monitor; error: unknown }) {
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader monitor={monitor} error={error === undefined ? null : errorText(error, "fetchMonitors")} />
      <DetailTiles monitor={monitor} />
      <Records monitor={monitor} />
      <NoteCard note={monitor.note} />
      <Suspense fallback={<Skeleton className="h-48 w-full" />}>
        <NotificationsCard target={{ type: "monitor", id: monitor.id }} dependsOn={monitor.dependsOn} />
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
