import { setTimeout as sleep } from "node:timers/promises";
import type { Namespace } from "./namespace.ts";
import { componentOf, isReady, type Pod } from "./objects.ts";

const pollMs = 500;

/** Asks until there is an answer. @throws Error that says what did not come, and what was seen last */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  timeoutMs = 180_000,
): Promise<Value> {
  const endMs = performance.now() + timeoutMs;
  let fault: unknown;
  for (;;) {
    try {
      const found = await ask();
      if (found !== undefined) return found;
      fault = undefined;
    } catch (thrown) {
      fault = thrown;
    }
    if (performance.now() > endMs) {
      throw new Error(
        `${what}: not within ${timeoutMs / 1000} s${fault instanceof Error ? ` (${fault.message})` : ""}`,
      );
    }
    await sleep(pollMs);
  }
}

/** Waits until so many pods that match are ready and no other is left, and answers them. */
export async function podsReady(
  namespace: Namespace,
  selector: string,
  count: number,
  timeoutMs?: number,
): Promise<Pod[]> {
  let seen = "none";
  return until(
    `${count} ready pods of ${selector}`,
    async () => {
      const pods = await namespace.pods(selector);
      seen = pods.map((pod) => `${pod.metadata.name} ${pod.status.phase}`).join(", ");
      return pods.length === count && pods.every(isReady) ? pods : undefined;
    },
    timeoutMs,
  ).catch((fault: Error) => {
    throw new Error(`${fault.message}; there are: ${seen}`);
  });
}

/** Waits until every Deployment has as many ready pods as it wants, all of its newest kind. */
export async function allReady(namespace: Namespace, timeoutMs?: number): Promise<void> {
  let waiting: string[] = [];
  await until(
    "all Deployments ready",
    async () => {
      const deployments = await namespace.deployments();
      waiting = deployments
        .filter(({ spec: { replicas = 1 }, status }) =>
          [status.readyReplicas, status.updatedReplicas, status.replicas].some((is) => (is ?? 0) !== replicas),
        )
        .map(({ metadata }) => metadata.name);
      return deployments.length > 0 && waiting.length === 0 ? true : undefined;
    },
    timeoutMs,
  ).catch((fault: Error) => {
    throw new Error(`${fault.message}; still waiting: ${waiting.join(", ")}`);
  });
}

/** Pods by the service that they belong to, those that stay alone. */
export async function podsByComponent(namespace: Namespace): Promise<Map<string, Pod[]>> {
  const pods = await namespace.pods("app.kubernetes.io/name=sonde");
  return Map.groupBy(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    componentOf,
  );
}
