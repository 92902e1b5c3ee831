import { setTimeout as sleep } from "node:timers/promises";
import type { Namespace } from "./namespace.ts";
import { componentOf, isReady, type Pod } from "./objects.ts";

const pollMs = 500;

/** Polls until `ask` returns a value. @throws Error after the timeout, with `what` and the last error */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  timeoutMs = 180_000,
): Promise<Value> {
  const endMs = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await ask();
      if (value !== undefined) return value;
      lastError = undefined;
    } catch (thrown) {
      lastError = thrown;
    }
    if (performance.now() > endMs) {
      throw new Error(
        `${what}: not within ${timeoutMs / 1000} s${lastError instanceof Error ? ` (${lastError.message})` : ""}`,
      );
    }
    await sleep(pollMs);
  }
}

/** Waits until exactly `count` pods match and all are ready, and returns them. */
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
  ).catch((error: Error) => {
    throw new Error(`${error.message}; existing: ${seen}`);
  });
}

/** Waits until all replicas of every Deployment are updated and ready. */
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
  ).catch((error: Error) => {
    throw new Error(`${error.message}; not ready: ${waiting.join(", ")}`);
  });
}

export async function podsByComponent(namespace: Namespace): Promise<Map<string, Pod[]>> {
  const pods = await namespace.pods("app.kubernetes.io/name=sonde");
  return Map.groupBy(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    componentOf,
  );
}
