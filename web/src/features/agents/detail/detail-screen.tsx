import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { paths, planPathOf } from "../../../app/paths.ts";
import { BackLink, DetailPlaceholder, isId, isMissing, Loaded, Missing, useNotice } from "../../../app/screen.tsx";
import { SilencedNote } from "../../../entities/silences/silenced-note.tsx";
import { SilenceMenu } from "../../../entities/silences/silence-menu.tsx";
import { formatSpan } from "../../../lib/format.ts";
import { formatBytes, formatFigure, formatUsage } from "../../../lib/measures.ts";
import { DeleteButton } from "../../../lists/delete-button.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { AgentBadge, Badge, MaintenanceBadge } from "../../../ui/badge.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card, Tile, TileRow } from "../../../ui/card.tsx";
import { IncidentList } from "../../../ui/health/incident-list.tsx";
import { CheckIcon, EditIcon, ServerIcon, WrenchIcon } from "../../../ui/icons.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { PageHeader } from "../../../ui/page-header.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { useAgentIncidentsQuery, useAgentQuery, useDeleteAgentMutation } from "../api.ts";
import { formatLoads, fullestDisk, type ThresholdMetric, type Thresholds, usagesOf, usageTone } from "../meter.tsx";
import { ThresholdsCard, useThresholds } from "../thresholds/thresholds-card.tsx";
import { DevicesCards, HardwareCard, SystemCard } from "./hardware-cards.tsx";
import { MetricsCard } from "./metrics-card.tsx";
import NotificationsCard from "../../../entities/notifications/notifications-card.tsx";

export default function DetailScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const query = useAgentQuery(id, { skip: !isId(id), pollingInterval: usePolling() });
  const header = <PageHeader title={t("agents.title")} />;
  if (isMissing(id, query.error)) {
    return (
      <>
        {header}
        <Missing icon={<ServerIcon />} title={t("errors.agentMissing")} back={t("agent.back")} backTo={paths.agents} />
      </>
    );
  }
  return (
    <Loaded query={query} fallback="fetchAgents" placeholder={<DetailPlaceholder />} header={header}>
      {({ agent }) => <Detail agent={agent} error={query.error} />}
    </Loaded>
  );
}

function Detail({ agent, error }: { agent: Agent; error: unknown }) {
  const inForce = useThresholds(agent);
  const { thresholds } = inForce;
  const { id } = agent;
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

function IncidentsCard({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useAgentIncidentsQuery(id, { pollingInterval: usePolling() });
  const placeholder = (
    <div className="p-5">
      <Skeleton className="h-24 w-full" />
    </div>
  );
  return (
    <Card title={t("incidents.title")} flush>
      <Loaded query={query} fallback="fetchData" placeholder={placeholder} header={null}>
        {({ incidents }) =>
          incidents.length === 0 ? (
            <EmptyState icon={<CheckIcon />} title={t("incidents.none")} className="py-9">
              {t("agent.noIncidentsText")}
            </EmptyState>
          ) : (
            <IncidentList incidents={incidents} pageOf={paths.incident} />
          )
        }
      </Loaded>
    </Card>
  );
}

/** Minimum clock skew in seconds that is shown. */
const notableSkew = 2;

function DetailHeader({ agent }: { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const hotkey = useHotkeys();
  const notice = useNotice();
  const [remove] = useDeleteAgentMutation();
  const { id, name, hostname, os, status, lastSeen, skew = 0, latest, tags } = agent;
  return (
    <div>
      <BackLink to={paths.agents} label={t("agent.back")} />
      <PageHeader
        title={name}
        badge={
          <>
            <AgentBadge status={status} />
            <MaintenanceBadge when={agent.inMaintenance} />
          </>
        }
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <span>{[hostname, os].filter((each) => each !== "").join(" · ")}</span>
            <span className="text-[13px] text-faint">
              {t("agent.lastSeen")}: {lastSeen === null ? t("agent.never") : <Time at={lastSeen} relative />}
            </span>
            {tags.map((tag) => (
              <Link
                key={tag}
                to={`${paths.agents}?tag=${encodeURIComponent(tag)}`}
                title={t("agents.showTag", { tag })}
                className="inline-flex min-h-6 items-center"
              >
                <Badge className="hover:text-ink">{tag}</Badge>
              </Link>
            ))}
          </span>
        }
        actions={
          mayChange && (
            <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto">
              <SilenceMenu target={{ type: "agent", id }} name={name} />
              <ButtonLink to={planPathOf("agent", id)}>
                <WrenchIcon />
                {t("maintenance.add")}
              </ButtonLink>
              <ButtonLink to={paths.agentEdit(id)} {...hotkey("e")}>
                <EditIcon />
                {t("common.edit")}
              </ButtonLink>
              <DeleteButton noun="agents" target={agent} fallback="deleteAgent" remove={remove} to={paths.agents} />
            </div>
          )
        }
      />
      <div className="flex flex-col gap-3">
        {notice !== undefined && <Alert kind="success">{notice}</Alert>}
        <SilencedNote target={{ type: "agent", id }} until={agent.silencedUntil} />
        {agent.duplicateKey === true && (
          <Alert kind="error">
            {t("agent.duplicateKey")}{" "}
            {mayChange && (
              <Link to={paths.agentEdit(id)} className="font-medium whitespace-nowrap underline">
                {t("agent.duplicateKeyLink")}
              </Link>
            )}
          </Alert>
        )}
        {agent.incidentsHeldBack === true && <Alert kind="error">{t("agent.incidentsHeldBack")}</Alert>}
        {status === "offline" && <Alert kind="error">{t("agent.offlineNote")}</Alert>}
        {status === "connecting" && <Alert kind="info">{t("agent.connectingNote")}</Alert>}
        {Math.abs(skew) >= notableSkew && (
          <Alert kind="info">{t("agent.skewNote", { span: formatSpan(Math.abs(skew) * 1000, i18n.language) })}</Alert>
        )}
        {latest?.scope === "container" && <Alert kind="info">{t("agent.containerNote")}</Alert>}
      </div>
    </div>
  );
}

function LiveTiles({ agent, thresholds }: { agent: Agent; thresholds: Thresholds }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { status, latest, uptime } = agent;
  const { cpu, memory, load } = latest ?? {};
  const disk = fullestDisk(latest);
  const usages = usagesOf(agent);
  const tone = (metric: ThresholdMetric) =>
    status === "online" ? usageTone(usages[metric], thresholds[metric]) : "plain";
  const usedOf = ({ used, total }: { used: number; total: number }) =>
    t("agent.usedOf", { used: formatBytes(used, language), total: formatBytes(total, language) });
  return (
    <TileRow className="sm:grid-cols-3 lg:grid-cols-5 max-sm:[&>:last-child]:col-span-2">
      <Tile
        label={t("agents.cpu")}
        value={formatUsage(cpu?.usage, language)}
        tone={tone("cpu")}
        note={cpu?.cores !== undefined && t("agent.cores", { count: cpu.cores })}
      />
      <Tile
        label={t("agents.memory")}
        value={formatUsage(memory?.usage, language)}
        tone={tone("memory")}
        note={memory && usedOf(memory)}
      />
      <Tile
        label={
          <>
            {t("agent.fullest")}
            {disk !== undefined && <span className="font-mono text-[12px] text-faint"> {disk.mountPoint}</span>}
          </>
        }
        value={formatUsage(disk?.usage, language)}
        tone={tone("disk")}
        note={disk && usedOf(disk)}
      />
      <Tile
        label={t("agent.load")}
        value={formatFigure(load?.one, language)}
        note={load && `${t("agent.loadNote")}: ${formatLoads(load, language)}`}
      />
      <Tile label={t("agent.uptime")} value={uptime === null ? "–" : formatSpan(uptime * 1000, language)} />
    </TileRow>
  );
}
