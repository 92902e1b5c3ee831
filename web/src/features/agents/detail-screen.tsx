import type { Agent } from "@sonde/proto/http/agents";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { errorText, statusOf } from "../../app/errors.ts";
import NotificationsCard from "../../app/notifications/notifications-card.tsx";
import { usePolling } from "../../app/polling.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { useAgentQuery } from "./api.ts";
import { DetailHeader } from "./detail-header.tsx";
import { DevicesCards } from "./devices-cards.tsx";
import { HardwareCard } from "./hardware-card.tsx";
import { IncidentsCard } from "./incidents-card.tsx";
import { LiveTiles } from "./live-tiles.tsx";
import { MetricsCard } from "./metrics-card.tsx";
import { MissingAgent } from "./missing.tsx";
import { SystemCard } from "./system-card.tsx";
import { useThresholds } from "./thresholds.ts";
import { ThresholdsCard } from "./thresholds-card.tsx";

export default function DetailScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const known = Number.isInteger(id) && id > 0;
  const { data, error, isFetching, refetch } = useAgentQuery(id, { skip: !known, pollingInterval: usePolling() });
  if (!known || statusOf(error) === 404) {
    return (
      <>
        <PageHeader title={t("agents.title")} />
        <MissingAgent />
      </>
    );
  }
  if (data === undefined) {
    return error === undefined ? (
      <LoadingSkeleton />
    ) : (
      <>
        <PageHeader title={t("agents.title")} />
        <Card>
          <ErrorState message={errorText(error, "fetchAgents")} onRetry={() => void refetch()} retrying={isFetching} />
        </Card>
      </>
    );
  }
  return <Detail agent={data.agent} error={error} />;
}

function Detail({ agent, error }: { agent: Agent; error: unknown }) {
  const inForce = useThresholds(agent);
  const { id } = agent;
  const { thresholds } = inForce;
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader agent={agent} />
      {error !== undefined && <Alert kind="error">{errorText(error, "fetchAgents")}</Alert>}
      <LiveTiles agent={agent} thresholds={thresholds} />
      <ThresholdsCard key={`thresholds ${id}`} agent={agent} inForce={inForce} />
      <MetricsCard key={id} id={id} thresholds={thresholds} />
      <HardwareCard agent={agent} thresholds={thresholds} />
      <DevicesCards agent={agent} />
      <SystemCard agent={agent} />
      <NotificationsCard target={{ type: "agent", id }} dependsOn={agent.dependsOn} />
      <IncidentsCard id={id} />
    </div>
  );
}

/** Placeholders while the agent loads, higher than a screen as the page will be. */
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
