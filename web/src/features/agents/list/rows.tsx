import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { formatRelative } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { formatFigure, formatUsage } from "../../../lib/measures.ts";
import { type Columns, DataTable } from "../../../lists/data-table.tsx";
import { RowActions } from "../../../lists/row-actions.tsx";
import { TagList } from "../../../lists/tag-list.tsx";
import { AgentBadge, MaintenanceBadge } from "../../../ui/badge.tsx";
import { cx } from "../../../ui/cx.ts";
import { NameLink } from "../../../lists/name-link.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { SilencedBadge } from "../../../ui/until.tsx";
import {
  Bar,
  Figure,
  formatLoads,
  fullestDisk,
  Meter,
  type ThresholdMetric,
  thresholdMetrics,
  Traffic,
  usagesOf,
} from "../meter.tsx";
import { OutdatedBadge } from "../outdated.tsx";
import { agentFieldOf, type AgentList, firstOrder } from "./list.ts";

type AgentRowsProps = {
  list: AgentList;
  agents: readonly Agent[] | undefined;
  onDelete: (agent: Agent) => void;
};

export function AgentTable({ agents, list, onDelete }: AgentRowsProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { sort } = list.params;
  const text = (head: string, of: (agent: Agent) => string): Columns<Agent, AgentList>[number] => ({
    head,
    from: "xl",
    className: "max-w-30 truncate text-[13px] text-muted",
    titleOf: of,
    cell: of,
  });
  const inkOf = ({ status }: Agent) => (status === "online" ? undefined : "text-muted");
  const figures: Columns<Agent, AgentList> = [
    ...thresholdMetrics.map((metric) => ({
      head: t(`agents.${metric}`),
      sort: metric,
      from: "md" as const,
      cell: (agent: Agent) => <UsageCell agent={agent} metric={metric} />,
    })),
    {
      head: t("agents.sorts.network"),
      sort: "network",
      from: "md",
      cell: (agent) => <Traffic network={agent.latest?.network} className={cx("flex-col text-[12px]", inkOf(agent))} />,
    },
    {
      head: t("agents.sorts.load"),
      sort: "load",
      from: "md",
      className: "tnum text-[13px]",
      titleOf: ({ latest }) => (latest?.load ? `${t("agent.loadNote")}: ${formatLoads(latest.load, language)}` : ""),
      cell: (agent) => <span className={inkOf(agent)}>{formatFigure(agent.latest?.load?.one, language)}</span>,
    },
    { ...text(t("agents.hostname"), ({ hostname }) => hostname), sort: "hostname" },
    {
      head: t("agents.ip"),
      from: "xl",
      className: "max-w-32",
      cell: ({ ipAddresses }) => <AddressCell addresses={ipAddresses} />,
    },
    text(t("agents.os"), ({ os }) => os),
    {
      head: t("agents.version"),
      from: "xl",
      className: "tnum text-[13px] text-muted",
      cell: ({ version }) => version,
    },
  ];
  const columns: Columns<Agent, AgentList> = [
    {
      head: t("agents.name"),
      sort: "name",
      className: "max-w-52 xl:max-w-40",
      cell: (agent) => <NameCell agent={agent} list={list} />,
    },
    { head: t("agents.status"), sort: "status", from: "lg", cell: ({ status }) => <AgentBadge status={status} /> },
    ...figures.map((each) => ({ ...each, headClassName: "px-2!", className: cx("px-2!", each.className) })),
    {
      head: t("common.actions"),
      numeric: true,
      headClassName: "pl-2!",
      className: "w-px pl-2!",
      cell: (agent) => (
        <RowActions name={agent.name} editAt={paths.agentEdit(agent.id)} onDelete={() => onDelete(agent)} />
      ),
    },
  ];
  return (
    <DataTable
      label={t("agents.title")}
      columns={columns}
      items={agents}
      sort={sort}
      onSort={(next) => {
        const field = agentFieldOf(next);
        const isSortedBy = sort === field || sort === `-${field}`;
        list.change({ sort: isSortedBy ? next : firstOrder(field) });
      }}
    />
  );
}

function AddressCell({ addresses }: { addresses: readonly string[] }) {
  const [first = "–", ...others] = addresses;
  return (
    <span title={addresses.join("\n")} className="block truncate font-mono text-[12px] text-muted">
      {first}
      {others.length > 0 && <span className="text-faint"> +{others.length}</span>}
    </span>
  );
}

function NameCell({ agent, list }: { agent: Agent; list: AgentList }) {
  const { t, i18n } = useTranslation();
  const { id, name, hostname, version, status, inMaintenance, silencedUntil } = agent;
  const usages = usagesOf(agent);
  return (
    <>
      <span className="flex max-w-full flex-wrap items-center gap-x-2">
        <NameLink to={paths.agent(id)} name={name} className="max-w-full" />
        <MaintenanceBadge when={inMaintenance} />
        <SilencedBadge until={silencedUntil} />
        <OutdatedBadge version={version} />
        <AgentTags agent={agent} list={list} />
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

const maxTags = 2;

function AgentTags({ agent: { tags }, list }: { agent: Agent; list: AgentList }) {
  const { t } = useTranslation();
  return (
    <TagList
      tags={tags}
      max={maxTags}
      onTag={(tag) => list.change({ tag })}
      titleOf={(tag) => t("agents.showTag", { tag })}
    />
  );
}

function UsageCell({ agent, metric }: { agent: Agent; metric: ThresholdMetric }) {
  const { t, i18n } = useTranslation();
  const { latest, status, thresholds } = agent;
  const percent = usagesOf(agent)[metric];
  const threshold = thresholds?.[metric];
  const meter = { percent, threshold, old: status !== "online" };
  const value = formatUsage(percent, i18n.language);
  const limit = threshold == null ? null : formatUsage(threshold, i18n.language);
  const words = limit === null ? value : t("agentThresholds.below", { value, threshold: limit });
  const disk = metric === "disk" ? fullestDisk(latest)?.mountPoint : undefined;
  return (
    <span
      title={percent == null ? undefined : [disk, words].filter((each) => each !== undefined).join(" ")}
      className="flex w-16 flex-col gap-1 text-[13px]"
    >
      <Figure {...meter} />
      {percent != null && <Bar {...meter} />}
    </span>
  );
}

export function AgentCards({ agents, list, onDelete }: AgentRowsProps) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {agents?.map((agent) => <AgentCard key={agent.id} agent={agent} list={list} onDelete={onDelete} />) ??
        Array.from({ length: 9 }, (_, index) => (
          <li key={index}>
            <Skeleton className="h-[232px] w-full rounded-lg" />
          </li>
        ))}
    </ul>
  );
}

function AgentCard({ agent, list, onDelete }: Omit<AgentRowsProps, "agents"> & { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { id, name, hostname, ipAddresses, os, version, status, lastSeen, latest, thresholds } = agent;
  const { inMaintenance, silencedUntil } = agent;
  const usages = usagesOf(agent);
  const old = status !== "online";
  return (
    <li data-row className="flex min-h-[232px] min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <NameLink to={paths.agent(id)} name={name} className="max-w-full text-[15px] font-semibold!" />
          <p className="truncate text-[13px] text-muted" title={`${hostname} ${ipAddresses.join(" ")}`}>
            {[hostname, ipAddresses[0]]
              .filter((each) => each !== undefined && each !== "" && each !== name)
              .join(" · ") || os}
          </p>
          <AgentTags agent={agent} list={list} />
        </div>
        <span className="flex shrink-0 flex-col items-end gap-1">
          <AgentBadge status={status} wording="card" />
          <MaintenanceBadge when={inMaintenance} />
          <SilencedBadge until={silencedUntil} />
          <OutdatedBadge version={version} />
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
        <RowActions
          name={name}
          viewAt={paths.agent(id)}
          editAt={paths.agentEdit(id)}
          onDelete={() => onDelete(agent)}
        />
      </div>
    </li>
  );
}

function Seen({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  return t("agents.seen", { when: formatRelative(Math.min(Date.parse(at), nowMs), nowMs, i18n.language) });
}
