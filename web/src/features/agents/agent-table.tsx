import type { Agent } from "@sonde/proto/http/agents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { type Columns, DataTable } from "../../lists/data-table.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { AgentBadge } from "../../ui/agent-badge.tsx";
import { MaintenanceBadge } from "../../ui/maintenance-badge.tsx";
import type { AgentList } from "./list.ts";

type AgentTableProps = {
  /** Undefined while the first page is on its way. */
  agents: readonly Agent[] | undefined;
  list: AgentList;
  onDelete: (agent: Agent) => void;
};

/** Name, hostname, IP address, status, operating system, version, actions. On a phone the name carries what matters. */
export function AgentTable({ agents, list, onDelete }: AgentTableProps) {
  const { t } = useTranslation();
  const columns: Columns<Agent, AgentList> = [
    { head: t("agents.name"), sort: "name", className: "max-w-64", cell: (agent) => <NameCell agent={agent} /> },
    {
      head: t("agents.hostname"),
      sort: "hostname",
      from: "md",
      className: "max-w-56 truncate text-muted",
      cell: ({ hostname }) => hostname,
    },
    {
      head: t("agents.ip"),
      from: "md",
      className: "max-w-56",
      cell: ({ ipAddresses }) => <AddressCell addresses={ipAddresses} />,
    },
    {
      head: t("agents.status"),
      sort: "status",
      from: "md",
      headClassName: "w-32",
      cell: ({ status }) => <AgentBadge status={status} />,
    },
    {
      head: t("agents.os"),
      from: "lg",
      className: "max-w-56 truncate text-muted",
      titleOf: ({ os }) => os,
      cell: ({ os }) => os,
    },
    { head: t("agents.version"), from: "lg", className: "tnum text-muted", cell: ({ version }) => version },
    {
      head: t("common.actions"),
      numeric: true,
      headClassName: "md:w-36",
      className: "w-px",
      cell: (agent) => <AgentActions agent={agent} onDelete={onDelete} />,
    },
  ];
  return (
    <DataTable
      label={t("agents.title")}
      columns={columns}
      items={agents}
      sort={list.params.sort}
      onSort={(sort) => list.change({ sort })}
    />
  );
}

function NameCell({ agent: { id, name, hostname, ipAddresses, status, inMaintenance } }: { agent: Agent }) {
  return (
    <>
      <span className="flex max-w-full flex-wrap items-center gap-x-2">
        <Link to={paths.agent(id)} className="inline-flex min-h-6 max-w-full items-center font-medium hover:underline">
          <span className="truncate">{name}</span>
        </Link>
        <MaintenanceBadge when={inMaintenance} />
      </span>
      <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted md:hidden">
        <AgentBadge status={status} />
        <span className="truncate">{hostname}</span>
        <span className="font-mono text-[12px]">{ipAddresses[0]}</span>
      </span>
    </>
  );
}

/** The first address; all of them for the pointer. */
function AddressCell({ addresses }: { addresses: readonly string[] }) {
  const [first = "–", ...others] = addresses;
  return (
    <span title={addresses.join("\n")} className="block truncate font-mono text-[13px] text-muted">
      {first}
      {others.length > 0 && <span className="text-faint"> +{others.length}</span>}
    </span>
  );
}
