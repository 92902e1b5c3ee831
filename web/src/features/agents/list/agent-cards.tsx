import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../../app/paths.ts";
import { useNow } from "../../../lib/hooks.ts";
import { formatRelative } from "../../../lib/format.ts";
import { formatFigure } from "../../../lib/measures.ts";
import { Skeleton } from "../../../ui/states.tsx";
import { AgentActions } from "../agent-actions.tsx";
import { AgentBadge, MaintenanceBadge } from "../../../ui/badge.tsx";
import { Meter } from "../meter.tsx";
import { Traffic } from "../traffic.tsx";
import { thresholdMetrics, usagesOf } from "../thresholds/usage-tone.ts";

type AgentCardsProps = {
  /** Undefined while the first page is on its way. */
  agents: readonly Agent[] | undefined;
  onDelete: (agent: Agent) => void;
};

/** One card a machine: who it is, how it is, and its meters. */
export function AgentCards({ agents, onDelete }: AgentCardsProps) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {agents?.map((agent) => <AgentCard key={agent.id} agent={agent} onDelete={onDelete} />) ??
        Array.from({ length: 9 }, (_, index) => (
          <li key={index}>
            <Skeleton className="h-[232px] w-full rounded-lg" />
          </li>
        ))}
    </ul>
  );
}

function AgentCard({ agent, onDelete }: { agent: Agent; onDelete: (agent: Agent) => void }) {
  const { t, i18n } = useTranslation();
  const { id, name, hostname, ipAddresses, os, status, lastSeen, latest, inMaintenance, thresholds } = agent;
  const usages = usagesOf(agent);
  const old = status !== "online";
  return (
    <li data-row className="flex min-h-[232px] min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4">
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
        {thresholdMetrics.map((metric) => (
          <Meter
            key={metric}
            label={t(`agents.${metric}`)}
            percent={usages[metric]}
            threshold={thresholds?.[metric]}
            old={old}
          />
        ))}
        <p className="flex items-center justify-between gap-3 text-[13px]">
          <span className="sr-only">{t("agents.sorts.network")}</span>
          <Traffic network={latest?.network} className="gap-3 text-muted" />
          <span className="tnum">
            <span className="text-muted">{t("agents.sorts.load")}</span>{" "}
            <span className="font-medium">{formatFigure(latest?.load?.one, i18n.language)}</span>
          </span>
        </p>
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
