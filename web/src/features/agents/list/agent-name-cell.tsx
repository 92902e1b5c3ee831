import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../../app/paths.ts";
import { formatUsage } from "../../../lib/measures.ts";
import { AgentBadge, MaintenanceBadge } from "../../../ui/badge.tsx";
import { thresholdMetrics, usagesOf } from "../thresholds/usage-tone.ts";

/** A machine's name; below it what the window has no columns for. */
export function NameCell({ agent }: { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { id, name, hostname, status, inMaintenance } = agent;
  const usages = usagesOf(agent);
  return (
    <>
      <span className="flex max-w-full flex-wrap items-center gap-x-2">
        <Link to={paths.agent(id)} className="inline-flex min-h-6 max-w-full items-center font-medium hover:underline">
          <span className="truncate" title={name}>
            {name}
          </span>
        </Link>
        <MaintenanceBadge when={inMaintenance} />
      </span>
      <span className="flex items-center gap-x-2 text-[13px] text-muted xl:hidden">
        <span className="lg:hidden">
          <AgentBadge status={status} />
        </span>
        {hostname !== name && (
          <span className="min-w-0 truncate" title={hostname}>
            {hostname}
          </span>
        )}
      </span>
      <span className="tnum flex flex-wrap gap-x-3 text-[13px] text-muted md:hidden">
        {thresholdMetrics.map((metric) => (
          <span key={metric}>
            {t(`agents.${metric}`)} {formatUsage(usages[metric], i18n.language)}
          </span>
        ))}
      </span>
    </>
  );
}
