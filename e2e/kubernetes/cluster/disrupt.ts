import { ApiError } from "./api.ts";
import type { Namespace } from "./namespace.ts";
import type { Pod } from "./objects.ts";
import { until } from "./wait.ts";

/** Deletes a pod without a word to its processes. */
export async function deletePod(namespace: Namespace, { metadata }: Pod): Promise<void> {
  await namespace.api.send("DELETE", `/api/v1/namespaces/${namespace.name}/pods/${metadata.name}`, {
    gracePeriodSeconds: 0,
  });
}

/**
 * What draining a node does to each pod: asks the disruption budget, again and again where it refuses, and stops the pod
 * within its grace.
 */
export async function evictPod(namespace: Namespace, { metadata }: Pod): Promise<void> {
  const { name } = metadata;
  const path = `/api/v1/namespaces/${namespace.name}/pods/${name}/eviction`;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: namespace.name } };
  await until(`the disruption budget of ${name} allows it`, async () => {
    try {
      await namespace.api.send("POST", path, eviction);
      return true;
    } catch (fault) {
      if (fault instanceof ApiError && fault.status === 429) return undefined;
      throw fault;
    }
  });
}
