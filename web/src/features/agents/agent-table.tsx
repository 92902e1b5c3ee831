import type { Agent } from "@sonde/proto/http/agents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { Skeleton } from "../../ui/states.tsx";
import { Cell, HeadCell, Row, SortCell, Table } from "../../ui/table.tsx";
import { AgentBadge } from "./agent-badge.tsx";
import type { Sort } from "./list-params.ts";
import { RowActions } from "./row-actions.tsx";

type AgentTableProps = {
  /** Undefined while the first page is on its way. */
  agents: readonly Agent[] | undefined;
  sort: Sort;
  onSort: (sort: Sort) => void;
  onDelete: (agent: Agent) => void;
};

/** Name, hostname, IP address, status, operating system, version, actions. On a phone the name carries what matters. */
export function AgentTable({ agents, sort, onSort, onDelete }: AgentTableProps) {
  const { t } = useTranslation();
  return (
    <Table label={t("agents.title")}>
      <thead>
        <tr>
          <SortCell field="name" sort={sort} onSort={onSort}>
            {t("agents.name")}
          </SortCell>
          <SortCell field="hostname" sort={sort} onSort={onSort} className="hidden md:table-cell">
            {t("agents.hostname")}
          </SortCell>
          <HeadCell className="hidden md:table-cell">{t("agents.ip")}</HeadCell>
          <SortCell field="status" sort={sort} onSort={onSort} className="hidden w-32 md:table-cell">
            {t("agents.status")}
          </SortCell>
          <HeadCell className="hidden lg:table-cell">{t("agents.os")}</HeadCell>
          <HeadCell className="hidden lg:table-cell">{t("agents.version")}</HeadCell>
          <HeadCell numeric className="md:w-36">
            {t("common.actions")}
          </HeadCell>
        </tr>
      </thead>
      <tbody>
        {agents?.map((agent) => <AgentRow key={agent.id} agent={agent} onDelete={() => onDelete(agent)} />) ??
          Array.from({ length: 14 }, (_, index) => (
            <Row key={index}>
              <Cell colSpan={7}>
                <Skeleton className="h-5 w-full" />
              </Cell>
            </Row>
          ))}
      </tbody>
    </Table>
  );
}

function AgentRow({ agent, onDelete }: { agent: Agent; onDelete: () => void }) {
  const { id, name, hostname, ipAddresses, os, status, version } = agent;
  const [address, ...others] = ipAddresses;
  return (
    <Row className="hover:bg-sunken/60">
      <Cell className="max-w-64">
        <Link to={paths.agent(id)} className="inline-flex min-h-6 max-w-full items-center font-medium hover:underline">
          <span className="truncate">{name}</span>
        </Link>
        <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted md:hidden">
          <AgentBadge status={status} />
          <span className="truncate">{hostname}</span>
          <span className="font-mono text-[12px]">{address}</span>
        </span>
      </Cell>
      <Cell className="hidden max-w-56 truncate text-muted md:table-cell">{hostname}</Cell>
      <Cell className="hidden max-w-56 md:table-cell">
        <span title={ipAddresses.join("\n")} className="block truncate font-mono text-[13px] text-muted">
          {address ?? "–"}
          {others.length > 0 && <span className="text-faint"> +{others.length}</span>}
        </span>
      </Cell>
      <Cell className="hidden md:table-cell">
        <AgentBadge status={status} />
      </Cell>
      <Cell className="hidden max-w-56 truncate text-muted lg:table-cell" title={os}>
        {os}
      </Cell>
      <Cell className="tnum hidden text-muted lg:table-cell">{version}</Cell>
      <Cell numeric className="w-px">
        <RowActions agent={agent} onDelete={onDelete} />
      </Cell>
    </Row>
  );
}
