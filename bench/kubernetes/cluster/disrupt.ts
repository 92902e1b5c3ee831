import type { Namespace } from "./namespace.ts";
import type { Pod } from "./objects.ts";

/** Deletes a pod without a word to its processes. */
export async function deletePod(namespace: Namespace, { metadata }: Pod): Promise<void> {
  await namespace.api.send("DELETE", `/api/v1/namespaces/${namespace.name}/pods/${metadata.name}`, {
    gracePeriodSeconds: 0,
  });
}

/** What draining a node does to each pod: asks the disruption budget, then stops it within its grace. */
export async function evictPod(namespace: Namespace, { metadata }: Pod): Promise<void> {
  const { name } = metadata;
  await namespace.api.send("POST", `/api/v1/namespaces/${namespace.name}/pods/${name}/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace: namespace.name },
  });
}
