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
  /** Target keys, for example `agent:3`. */
  dependsOn: readonly string[];
  hosts: readonly string[];
};

/** Whether an incident of this kind defers alerts of dependents: only if the target does not work at all. */
export const isDeferringKind = (kind: string): boolean => kind === "down" || kind === "offline";

export type Graph = {
  /**
   * Returns the incident that defers another: the oldest open incident of the targets it depends on, declared or, for
   * monitors, the agent of the same machine. `null` if there is none, or if each of them depends in turn on this
   * target: targets in a cycle do not defer each other.
   */
  deferringIncident(incidentId: string): Node | null;
  deferredBy(incidentId: string): Node[];
};

/** Builds the graph without I/O. @param nodes open incidents, with all that are reachable through their dependencies */
export function dependencyGraph(nodes: Iterable<Node>): Graph {
  const all = [...nodes];
  const byIncident = new Map(all.map((node) => [node.incidentId, node]));
  const deferring = all.filter(({ kind }) => isDeferringKind(kind));
  const deferringByTarget = Map.groupBy(deferring, ({ target }) => target);
  const machines = deferring.flatMap((node) =>
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
    const named = node.dependsOn.flatMap((target) => deferringByTarget.get(target) ?? []);
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

  const deferringIncident = (incidentId: string): Node | null => {
    const node = byIncident.get(incidentId);
    if (node === undefined) return null;
    const candidates = [...parentsOf(node)].filter((parent) => !dependsOn(parent, node.target));
    candidates.sort((one, other) => one.openedAtMs - other.openedAtMs || (one.incidentId < other.incidentId ? -1 : 1));
    return candidates[0] ?? null;
  };

  return {
    deferringIncident,
    deferredBy(incidentId) {
      const parent = byIncident.get(incidentId);
      if (parent === undefined) return [];
      return all.filter((node) => parentsOf(node).has(parent) && !dependsOn(parent, node.target));
    },
  };
}

/** A monitor is down while it has an external incident of severity critical. */
export const effectiveKindOf = (kind: string, severity: string): string =>
  kind === "external" && severity === "critical" ? "down" : kind;
const effectiveKind = "case when kind = 'external' and facts->>'severity' = 'critical' then 'down' else kind end";
const columns = `id, target_type, target, target_name, ${effectiveKind} as kind, opened_at_ms, depends_on, hosts`;

/** Includes transitive dependencies and dependents, maybe more than needed: `dependencyGraph` decides. */
export async function loadGraph(db: Database, incidents: readonly NotifiedIncident[]): Promise<Graph> {
  const deferring = incidents.filter(({ kind, facts }) => isDeferringKind(effectiveKindOf(kind, facts.severity)));
  const agents = deferring.filter(({ target }) => target.type === "agent");
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
         where closed_at_ms is null and ${effectiveKind} in ('down', 'offline') and target = any(reached.depends_on)
         union all
         select ${columns} from incidents
         where closed_at_ms is null and kind = 'offline' and target_type = 'agent'
           and reached.target_type = 'monitor' and hosts && reached.hosts
       ) as parent
     )
     select reached.*, id as incident_id from reached`,
    {
      ids: idsOf(incidents),
      targets: deferring.map(({ target }) => targetKey(target)),
      hosts: agents.flatMap(({ facts }) => hostsOf(facts)),
    },
  );
  return dependencyGraph(rows);
}
