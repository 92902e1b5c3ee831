import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Database } from "@sonde/kit/postgres/database";
import { hostsOf, idsOf, type NotifiedIncident, targetKey } from "./incident.ts";

export type Node = {
  incidentId: string;
  targetType: TargetType;
  target: string;
  targetName: string;
  kind: string;
  openedAtMs: number;
  /** The targets that it needs: `agent:3`. */
  dependsOn: readonly string[];
  /** Names and addresses of the machine that it runs on. */
  hosts: readonly string[];
};

/** Whether an incident of this kind defers the alerts of its dependents: the target does not work at all. */
const isHoldingKind = (kind: string): boolean => kind === "down" || kind === "offline";

/** Which of some open incidents is the reason of which. Pure: `loadGraph` reads what belongs in it. */
export type Graph = {
  /**
   * The incident that defers another: the oldest open one of what its target depends on, by name or, of a monitor, by
   * the agent of its machine. Null if there is none, or if each of them depends in turn on this target: targets in a
   * cycle do not defer each other.
   */
  holderOf(incidentId: string): Node | null;
  heldBy(incidentId: string): Node[];
};

/** @param nodes open incidents, with all that are reachable from them along their dependencies */
export function dependencyGraph(nodes: Iterable<Node>): Graph {
  const all = [...nodes];
  const byIncident = new Map(all.map((node) => [node.incidentId, node]));
  const holding = all.filter(({ kind }) => isHoldingKind(kind));
  const holdersByTarget = Map.groupBy(holding, ({ target }) => target);
  const machines = holding.flatMap((node) =>
    node.targetType === "agent" ? node.hosts.map((host) => ({ host, node })) : [],
  );
  const agentsByHost = Map.groupBy(machines, ({ host }) => host);
  const agentsAt = (host: string) => (agentsByHost.get(host) ?? []).map(({ node }) => node);

  const known = new Map<Node, ReadonlySet<Node>>();
  const parentsOf = (node: Node): ReadonlySet<Node> => {
    const parents = known.get(node) ?? findParents(node);
    known.set(node, parents);
    return parents;
  };
  const findParents = (node: Node): ReadonlySet<Node> => {
    const named = node.dependsOn.flatMap((target) => holdersByTarget.get(target) ?? []);
    const agents = node.targetType === "monitor" ? node.hosts.flatMap(agentsAt) : [];
    return new Set([...named, ...agents].filter(({ target }) => target !== node.target));
  };

  const dependsOn = (node: Node, target: string): boolean => {
    const seen = new Set<Node>();
    const left = [node];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const parent of parentsOf(next)) {
        if (parent.target === target) return true;
        if (!seen.has(parent)) left.push(parent);
        seen.add(parent);
      }
    }
    return false;
  };

  const holderOf = (incidentId: string): Node | null => {
    const node = byIncident.get(incidentId);
    if (node === undefined) return null;
    const holders = [...parentsOf(node)].filter((parent) => !dependsOn(parent, node.target));
    holders.sort((one, other) => one.openedAtMs - other.openedAtMs || (one.incidentId < other.incidentId ? -1 : 1));
    return holders[0] ?? null;
  };

  return {
    holderOf,
    heldBy(incidentId) {
      const parent = byIncident.get(incidentId);
      if (parent === undefined) return [];
      return all.filter((node) => parentsOf(node).has(parent) && !dependsOn(parent, node.target));
    },
  };
}

const columns = "id, target_type, target, target_name, kind, opened_at_ms, depends_on, hosts";

/**
 * The open incidents that some incidents depend on, over all steps, and those that depend on them. Follows the same
 * rules as `dependencyGraph`, more widely: that decides.
 */
export async function loadGraph(db: Database, incidents: readonly NotifiedIncident[]): Promise<Graph> {
  const holding = incidents.filter(({ kind }) => isHoldingKind(kind));
  const agents = holding.filter(({ target }) => target.type === "agent");
  const { rows } = await db.raw<{ rows: Node[] }>(
    `with recursive chosen as (
       select ${columns} from incidents where id = any(:ids)
       union
       select ${columns} from incidents where closed_at_ms is null and depends_on && :targets
       union
       select ${columns} from incidents where closed_at_ms is null and target_type = 'monitor' and hosts && :hosts
     ), reached as (
       select * from chosen
       union
       select parent.* from reached cross join lateral (
         select ${columns} from incidents
         where closed_at_ms is null and kind in ('down', 'offline') and target = any(reached.depends_on)
         union all
         select ${columns} from incidents
         where closed_at_ms is null and kind = 'offline' and target_type = 'agent'
           and reached.target_type = 'monitor' and hosts && reached.hosts
       ) as parent
     )
     select reached.*, id as incident_id from reached`,
    {
      ids: idsOf(incidents),
      targets: holding.map(({ target }) => targetKey(target)),
      hosts: agents.flatMap(({ facts }) => hostsOf(facts)),
    },
  );
  return dependencyGraph(rows);
}
