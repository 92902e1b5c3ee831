import type { Resource } from "./golden.ts";

type Labels = Record<string, string>;
type Selector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: "In" | "NotIn" | "Exists" | "DoesNotExist"; values?: string[] }[];
};
type Peer = { podSelector?: Selector; namespaceSelector?: Selector };
type Rule = { from?: Peer[]; to?: Peer[]; ports?: { protocol?: string; port?: number }[] };
type Policy = { podSelector: Selector; policyTypes: ("Ingress" | "Egress")[]; ingress?: Rule[]; egress?: Rule[] };

/** A pod, or `outside` for an address that is not a pod. A pod without `namespace` is in the release's namespace. */
export type End = { labels: Labels; namespace?: Labels } | "outside";

export const component = (name: string): End => ({
  labels: {
    "app.kubernetes.io/name": "sonde",
    "app.kubernetes.io/instance": "sonde",
    "app.kubernetes.io/component": name,
  },
});

/**
 * Evaluates NetworkPolicies like Kubernetes: if any policies of a direction select a pod, one of them must allow the
 * connection. Both ends must allow it.
 * https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function mayConnect(resources: readonly Resource[], from: End, to: End, port: number): boolean {
  const policies = resources.filter(({ kind }) => kind === "NetworkPolicy").map(({ spec }) => spec as Policy);
  return allows(policies, "Egress", from, to, port) && allows(policies, "Ingress", to, from, port);
}

function allows(
  policies: readonly Policy[],
  direction: "Ingress" | "Egress",
  self: End,
  other: End,
  port: number,
): boolean {
  if (self === "outside" || self.namespace !== undefined) return true;
  const own = policies.filter(
    ({ policyTypes, podSelector }) => policyTypes.includes(direction) && selects(podSelector, self.labels),
  );
  if (own.length === 0) return true;
  const rules = own.flatMap((policy) => (direction === "Ingress" ? policy.ingress : policy.egress) ?? []);
  return rules.some((rule) => {
    const peers = direction === "Ingress" ? rule.from : rule.to;
    const hasPort = rule.ports === undefined || rule.ports.some((allowed) => allowed.port === port);
    return hasPort && (peers === undefined || peers.some((peer) => matches(peer, other)));
  });
}

function matches({ podSelector, namespaceSelector }: Peer, end: End): boolean {
  if (end === "outside") return false;
  if (namespaceSelector === undefined && end.namespace !== undefined) return false;
  const isInNamespace = namespaceSelector === undefined || selects(namespaceSelector, end.namespace ?? {});
  return isInNamespace && (podSelector === undefined || selects(podSelector, end.labels));
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const hasLabels = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    hasLabels &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "Exists") return value !== undefined;
      if (operator === "DoesNotExist") return value === undefined;
      const isOne = value !== undefined && values.includes(value);
      return operator === "In" ? isOne : !isOne;
    })
  );
}
