import { dependencyGraph, effectiveKindOf, type Graph, isDeferringKind, type Node } from "../alerts/dependencies.ts";
import { hostsOf, type NotifiedIncident, targetKey } from "../alerts/incident.ts";

const nodeOf = ({ id, target, kind, facts, openedAtMs }: NotifiedIncident): Node => ({
  incidentId: id,
  targetType: target.type,
  target: targetKey(target),
  targetName: target.name,
  kind: effectiveKindOf(kind, facts.severity),
  openedAtMs,
  dependsOn: facts.dependsOn.map(targetKey),
  hosts: hostsOf(facts),
});

/** The open incidents. As `loadGraph`, in memory. */
export function createOpenGraph() {
  const nodes = new Map<string, Node>();
  const byKey = new Map<string, Set<Node>>();
  const keysOf = ({ kind, target, targetType, hosts }: Node): string[] => {
    if (!isDeferringKind(kind)) return [];
    return [target, ...(targetType === "agent" ? hosts.map((host) => `host ${host}`) : [])];
  };
  const remove = (id: string) => {
    const node = nodes.get(id);
    if (node === undefined) return;
    nodes.delete(id);
    for (const key of keysOf(node)) byKey.get(key)?.delete(node);
  };
  return {
    remove,
    put(incident: NotifiedIncident) {
      remove(incident.id);
      const node = nodeOf(incident);
      nodes.set(incident.id, node);
      for (const key of keysOf(node)) byKey.set(key, (byKey.get(key) ?? new Set()).add(node));
    },
    /** The graph of an incident and of what it depends on. */
    around(incident: NotifiedIncident): Graph {
      const reached = new Set([nodes.get(incident.id) ?? nodeOf(incident)]);
      for (const { targetType, dependsOn, hosts } of reached) {
        const machines = targetType === "monitor" ? hosts.map((host) => `host ${host}`) : [];
        for (const key of [...dependsOn, ...machines]) for (const node of byKey.get(key) ?? []) reached.add(node);
      }
      return dependencyGraph(reached);
    },
  };
}
