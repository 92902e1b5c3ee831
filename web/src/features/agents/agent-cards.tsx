import type { Agent, Sample } from "@sonde/proto/http/agents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { useNow } from "../../lib/clock.ts";
import { formatRelative } from "../../lib/format.ts";
import { Skeleton } from "../../ui/states.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { AgentBadge } from "../../ui/agent-badge.tsx";
import { MaintenanceBadge } from "../../ui/maintenance-badge.tsx";
import { Meter } from "./meter.tsx";

type AgentCardsProps = {
  /** Undefined while the first page is on its way. */
  agents: readonly Agent[] | undefined;
  onDelete: (agent: Agent) => void;
};

/** One card a machine: who it is, how it is, and its three meters. */
export function AgentCards({ agents, onDelete }: AgentCardsProps) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {agents?.map((agent) => <AgentCard key={agent.id} agent={agent} onDelete={onDelete} />) ??
        Array.from({ length: 9 }, (_, index) => (
          <li key={index}>
            <Skeleton className="h-[206px] w-full rounded-lg" />
          </li>
        ))}
    </ul>
  );
}

/** How full the fullest disk is. */
export function fullestDisk(sample: Sample | undefined): number | null {
  const usages = sample?.disks?.map(({ usage }) => usage) ?? [];
  return usages.length === 0 ? null : Math.max(...usages);
}

function AgentCard({ agent, onDelete }: { agent: Agent; onDelete: (agent: Agent) => void }) {
  const { t } = useTranslation();
  const { id, name, hostname, ipAddresses, os, status, lastSeen, latest, inMaintenance } = agent;
  const old = status !== "online";
  return (
    <li data-row className="flex min-h-[206px] min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <Link
            to={paths.agent(id)}
            className="inline-flex min-h-6 max-w-full items-center text-[15px] font-semibold hover:underline"
          >
            <span className="truncate">{name}</span>
          </Link>
          <p className="truncate text-[13px] text-muted" title={`${hostname} ${ipAddresses.join(" ")}`}>
            {[hostname, ipAddresses[0]]
              .filter((each) => each !== undefined && each !== "" && each !== name)
              .join(" · ") || os}
          </p>
        </div>
        <span className="flex shrink-0 flex-col items-end gap-1">
          <AgentBadge status={status} wording="card" />
          <MaintenanceBadge when={inMaintenance} />
        </span>
      </div>
      <div className="flex flex-col gap-1.5">
        <Meter label={t("agents.cpu")} percent={latest?.cpu?.usage} old={old} />
        <Meter label={t("agents.memory")} percent={latest?.memory?.usage} old={old} />
        <Meter label={t("agents.disk")} percent={fullestDisk(latest)} old={old} />
      </div>
      <div className="mt-auto flex min-h-8 items-center justify-between gap-2 text-[13px] text-faint">
        <span className="truncate">{lastSeen === null ? t("agents.waiting") : <Seen at={lastSeen} />}</span>
        <AgentActions agent={agent} onDelete={onDelete} />
      </div>
    </li>
  );
}

function Seen({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  return t("agents.seen", { when: formatRelative(Math.min(Date.parse(at), nowMs), nowMs, i18n.language) });
}
