import { ApiError } from "./api.ts";
import type { Namespace } from "./namespace.ts";
import type { Pod } from "./objects.ts";
import { until } from "./wait.ts";

/** Deletes a pod without a grace period, so its processes get no SIGTERM. */
export async function deletePod(namespace: Namespace, { metadata }: Pod): Promise<void> {
  await namespace.api.send("DELETE", `/api/v1/namespaces/${namespace.name}/pods/${metadata.name}`, {
    gracePeriodSeconds: 0,
  });
}

/** Like `kubectl drain`: retries while the disruption budget refuses, and respects the grace period. */
export async function evictPod(namespace: Namespace, { metadata }: Pod): Promise<void> {
  const { name } = metadata;
  const path = `/api/v1/namespaces/${namespace.name}/pods/${name}/eviction`;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: namespace.name } };
  await until(`the disruption budget of ${name} allows it`, async () => {
    try {
      await namespace.api.send("POST", path, eviction);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) return undefined;
      throw error;
    }
  });
}
