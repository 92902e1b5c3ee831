import type { TargetType } from "@sonde/proto/http/monitors/targets";

/** An open incident, as far as dependencies go. */
export type Node = {
  incidentId: string;
  targetType: TargetType;
  /** `monitor:12` */
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
export const isHoldingKind = (kind: string): boolean => kind === "down" || kind === "offline";

/** Which of some open incidents is the reason of which. Pure: `dependency-store.ts` reads what belongs in it. */
export type Graph = {
  /**
   * The incident that defers another: the oldest open one of what its target depends on, by name or, of a monitor, by
   * the agent of its machine. Null if there is none, or if each of them depends in turn on this target: targets in a
   * cycle do not defer each other.
   */
  holderOf(incidentId: string): Node | null;
  /** The incidents that one holds. */
  heldBy(incidentId: string): Node[];
};

/** @param nodes open incidents, with all that are reachable from them along their dependencies */
export function dependencyGraph(nodes: Iterable<Node>): Graph {
  const byIncident = new Map<string, Node>();
  const holdersByTarget = new Map<string, Node[]>();
  const agentsByHost = new Map<string, Node[]>();
  for (const node of nodes) {
    byIncident.set(node.incidentId, node);
    if (!isHoldingKind(node.kind)) continue;
    add(holdersByTarget, node.target, node);
    if (node.targetType === "agent") for (const host of node.hosts) add(agentsByHost, host, node);
  }

  const known = new Map<Node, ReadonlySet<Node>>();
  const parentsOf = (node: Node): ReadonlySet<Node> => {
    const parents = known.get(node) ?? findParents(node);
    known.set(node, parents);
    return parents;
  };
  const findParents = (node: Node): ReadonlySet<Node> => {
    const named = node.dependsOn.flatMap((target) => holdersByTarget.get(target) ?? []);
    const machines = node.targetType === "monitor" ? node.hosts.flatMap((host) => agentsByHost.get(host) ?? []) : [];
    return new Set([...named, ...machines].filter(({ target }) => target !== node.target));
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

  let childrenOf: Map<Node, Node[]> | undefined;
  const findChildren = () => {
    const found = new Map<Node, Node[]>();
    for (const node of byIncident.values()) for (const parent of parentsOf(node)) add(found, parent, node);
    return found;
  };

  return {
    holderOf,
    heldBy(incidentId) {
      const parent = byIncident.get(incidentId);
      if (parent === undefined) return [];
      childrenOf ??= findChildren();
      return (childrenOf.get(parent) ?? []).filter((node) => !dependsOn(parent, node.target));
    },
  };
}

function add<Key>(lists: Map<Key, Node[]>, key: Key, node: Node): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [node]);
  else list.push(node);
}
