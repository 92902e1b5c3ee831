import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatFigure } from "../../../lib/measures.ts";
import { type Columns, DataTable } from "../../../lists/data-table.tsx";
import { AgentBadge } from "../../../ui/badge.tsx";
import { AgentActions } from "../agent-actions.tsx";
import { NameCell } from "./agent-name-cell.tsx";
import { agentFieldOf, type AgentList, firstOrder } from "./list.ts";
import { Traffic } from "../traffic.tsx";
import { UsageCell } from "./usage-cell.tsx";
import { thresholdMetrics } from "../thresholds/usage-tone.ts";

type AgentTableProps = {
  /** Undefined while the first page is on its way. */
  agents: readonly Agent[] | undefined;
  list: AgentList;
  onDelete: (agent: Agent) => void;
};

/** One line a machine: its meters first, then what it is. What a narrow window has no column for stands below the name. */
export function AgentTable({ agents, list, onDelete }: AgentTableProps) {
  const { t, i18n } = useTranslation();
  const { sort } = list.params;
  const meters: Columns<Agent, AgentList> = thresholdMetrics.map((metric) => ({
    head: t(`agents.${metric}`),
    sort: metric,
    from: "md",
    className: "px-2!",
    headClassName: "px-2!",
    cell: (agent) => <UsageCell agent={agent} metric={metric} />,
  }));
  const columns: Columns<Agent, AgentList> = [
    {
      head: t("agents.name"),
      sort: "name",
      className: "max-w-52 xl:max-w-40",
      cell: (agent) => <NameCell agent={agent} />,
    },
    { head: t("agents.status"), sort: "status", from: "lg", cell: ({ status }) => <AgentBadge status={status} /> },
    ...meters,
    {
      head: t("agents.sorts.network"),
      sort: "network",
      from: "md",
      className: "px-2!",
      headClassName: "px-2!",
      cell: ({ latest, status }) => (
        <Traffic
          network={latest?.network}
          className={`flex-col text-[12px] ${status === "online" ? "" : "text-muted"}`}
        />
      ),
    },
    {
      head: t("agents.sorts.load"),
      sort: "load",
      from: "md",
      className: "tnum px-2! text-[13px]",
      headClassName: "px-2!",
      titleOf: ({ latest }) => loads(latest?.load),
      cell: ({ latest, status }) => (
        <span className={status === "online" ? undefined : "text-muted"}>
          {formatFigure(latest?.load?.one, i18n.language)}
        </span>
      ),
    },
    {
      head: t("agents.hostname"),
      sort: "hostname",
      from: "xl",
      headClassName: "px-2!",
      className: "max-w-30 truncate px-2! text-[13px] text-muted",
      titleOf: ({ hostname }) => hostname,
      cell: ({ hostname }) => hostname,
    },
    {
      head: t("agents.ip"),
      from: "xl",
      className: "max-w-32 px-2!",
      headClassName: "px-2!",
      cell: ({ ipAddresses }) => <AddressCell addresses={ipAddresses} />,
    },
    {
      head: t("agents.os"),
      from: "xl",
      className: "max-w-30 truncate px-2! text-[13px] text-muted",
      headClassName: "px-2!",
      titleOf: ({ os }) => os,
      cell: ({ os }) => os,
    },
    {
      head: t("agents.version"),
      from: "xl",
      className: "tnum px-2! text-[13px] text-muted",
      headClassName: "px-2!",
      cell: ({ version }) => version,
    },
    {
      head: t("common.actions"),
      numeric: true,
      headClassName: "pl-2!",
      className: "w-px pl-2!",
      cell: (agent) => <AgentActions agent={agent} onDelete={onDelete} compact />,
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

  function loads(load: NonNullable<Agent["latest"]>["load"]): string {
    if (load === undefined) return "";
    const figures = [load.one, load.five, load.fifteen].map((each) => formatFigure(each, i18n.language));
    return `${t("agent.loadNote")}: ${figures.join(" ")}`;
  }
}

/** The first address; all of them for the pointer. */
function AddressCell({ addresses }: { addresses: readonly string[] }) {
  const [first = "–", ...others] = addresses;
  return (
    <span title={addresses.join("\n")} className="block truncate font-mono text-[12px] text-muted">
      {first}
      {others.length > 0 && <span className="text-faint"> +{others.length}</span>}
    </span>
  );
}
