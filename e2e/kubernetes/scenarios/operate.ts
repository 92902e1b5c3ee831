import { setTimeout as sleep } from "node:timers/promises";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Api } from "@sonde/testing/api";
import { tryCommand } from "../cluster/command.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { componentOf, isReady, type Pod } from "../cluster/objects.ts";
import { memoryOf } from "../cluster/processes.ts";
import { allReady, podsReady, until } from "../cluster/wait.ts";
import type { Ground } from "../ground.ts";
import { countSlots } from "../judge/slots.ts";
import { lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname, installChart, overlay, release } from "../sonde/chart.ts";
import { runDocumented } from "../sonde/documented.ts";
import { readMetrics, sumOf } from "../sonde/pod-metrics.ts";
import { prepare, type Prepared } from "../sonde/prepare.ts";
import { createMonitors, notStored } from "./runners.ts";

const [mib, intervalMs, warmMs, measuredMs] = [2 ** 20, 1000, 20_000, 30_000];
/** The chart's requests are sized for this load from docs/capacity.md: 10,000 monitors every minute. */
const checksASecond = 167;

export const operate: Scenario = {
  name: "operate",
  about: "the README's resource requests, autoscaling, backup and restore, and change of the number of NATS servers",
  async run(ground) {
    const prepared = await prepare(ground);
    return [...(await scale(ground, prepared)), await restore(ground, prepared), ...(await members(ground, prepared))];
  },
};

interface Autoscaler {
  spec: {
    minReplicas: number;
    maxReplicas: number;
    metrics: { resource: { target: { type: string; averageValue: string } } }[];
  };
}

async function scale(ground: Ground, { namespace, values, target, api, from }: Prepared): Promise<Row[]> {
  const chart = await ground.chart();
  const scaled = { services: { "probe-runner": { autoscaling: { enabled: true } } } };
  await installChart(namespace, "upgrade", chart, overlay(values, scaled));
  await podsReady(namespace, "app.kubernetes.io/component=probe-runner", 2);
  const path = `/apis/autoscaling/v2/namespaces/${namespace.name}/horizontalpodautoscalers`;
  const { spec } = await namespace.api.get<Autoscaler>(`${path}/${fullname}-probe-runner-default`);
  const { type, averageValue } = spec.metrics[0]!.resource.target;
  const keys = await createMonitors(api, target, from, checksASecond, intervalMs);
  await sleep(warmMs);
  const uses = await measure(namespace);
  await deleteAll(api, keys);
  await installChart(namespace, "upgrade", chart, values);
  await allReady(namespace);

  const runners = uses.filter(({ component }) => component === "probe-runner");
  const usedMillis = runners.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0);
  // https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details
  const replicas = Math.min(
    spec.maxReplicas,
    Math.max(spec.minReplicas, Math.ceil(usedMillis / millisOf(averageValue))),
  );
  const inWords = ({ component, cpuMillis, memoryMib, requests }: Use) =>
    `${component} ${cpuMillis.toFixed(0)}m of ${requests.cpuMillis}m, ${memoryMib.toFixed(0)} of ${requests.memoryMib} MiB`;
  return [
    lossless(
      `autoscaling of probe runners at ${checksASecond} checks per second`,
      "the formula yields 2",
      `target ${type} ${averageValue}: ${replicas} for ${runners.map(({ cpuMillis }) => `${cpuMillis.toFixed(0)}m`).join(" and ")} used`,
      replicas === 2 ? [] : [`${replicas} replicas`],
    ),
    lossless(
      "memory of each service compared with its request",
      "not above it",
      uses.map(inWords).join("; "),
      uses.filter(({ memoryMib, requests }) => memoryMib > requests.memoryMib).map(inWords),
    ),
  ];
}

interface Use {
  component: string;
  cpuMillis: number;
  memoryMib: number;
  requests: { cpuMillis: number; memoryMib: number };
}

const millisOf = (quantity: string) => (quantity.endsWith("m") ? Number.parseFloat(quantity) : Number(quantity) * 1000);

async function measure(namespace: Namespace): Promise<Use[]> {
  const all = await namespace.pods("app.kubernetes.io/name=sonde");
  const pods = all.filter((pod) => isReady(pod) && !["postgres", "nats", "setup"].includes(componentOf(pod)));
  const seconds = (pod: Pod) => readMetrics(namespace, pod).then((text) => sumOf(text, "process_cpu_seconds_total"));
  const before = await Promise.all(pods.map(seconds));
  const beganMs = performance.now();
  await sleep(measuredMs);
  const after = await Promise.all(pods.map(seconds));
  const passedMs = performance.now() - beganMs;
  return Promise.all(
    pods.map(async (pod, index) => {
      const { cpu = "0", memory = "0Mi" } = pod.spec.containers[0]?.resources?.requests ?? {};
      return {
        component: componentOf(pod),
        cpuMillis: ((after[index]! - before[index]!) * 1_000_000) / passedMs,
        memoryMib: (await memoryOf(pod)) / mib,
        requests: {
          cpuMillis: millisOf(cpu),
          memoryMib: Number.parseFloat(memory) * (memory.endsWith("Gi") ? 1024 : 1),
        },
      };
    }),
  );
}

/** Restores a backup over a changed installation, which must have the backup's monitors and no others afterwards. */
async function restore(ground: Ground, { namespace, target, api, from }: Prepared): Promise<Row> {
  const chart = await ground.chart();
  const before = await createMonitors(api, target, from + 1000, 20, intervalMs);
  await checked(api, before);
  await runDocumented(namespace, chart, "backup");
  await deleteAll(api, before);
  const later = await createMonitors(api, target, from + 2000, 5, intervalMs);
  const beganMs = performance.now();
  await runDocumented(namespace, chart, "restore");
  const seconds = (performance.now() - beganMs) / 1000;
  await allReady(namespace);
  const restoredMs = Date.now();
  const ids = await until("the API responds", () => monitorsOf(api));
  await checked(api, before, restoredMs);
  const losses = [
    ...[...before.keys()].filter((id) => !ids.includes(id)).map((id) => `monitor ${id} of the backup is missing`),
    ...[...later.keys()].filter((id) => ids.includes(id)).map((id) => `monitor ${id} is newer than the backup`),
  ];
  await deleteAll(api, before);
  return lossless(
    "the README's backup, and its restore over a changed installation",
    "the backup's monitors are checked again; same login",
    `${before.size} monitors restored and checked, ${later.size} newer ones removed, ${seconds.toFixed(0)} s`,
    losses,
  );
}

async function members(ground: Ground, { namespace, target, api, from }: Prepared): Promise<Row[]> {
  const chart = await ground.chart();
  const set = "nats.bundled.replicas=3";
  const upgrade = ["upgrade", release, chart, "-n", namespace.name, "--reset-then-reuse-values", "--set", set];
  const { code, errors } = await tryCommand("helm", upgrade);
  const running = await podsReady(namespace, "app.kubernetes.io/component=nats", 1);
  const refused = lossless(
    `\`helm upgrade --set ${set}\` with one server`,
    "rejected with an explanation, nothing changed",
    errors.trim().split("\n").at(-1) ?? "",
    code !== 0 && /running servers is 1/.test(errors) && running.every(isReady) ? [] : ["not rejected"],
  );
  const keys = await createMonitors(api, target, from + 3000, 20, intervalMs);
  await checked(api, keys);
  const lost: string[] = [];
  const took: string[] = [];
  for (const count of [3, 1]) {
    const fromMs = Date.now();
    await runDocumented(namespace, chart, "nats-members", { [set]: `nats.bundled.replicas=${count}` });
    took.push(`${count} after ${((Date.now() - fromMs) / 1000).toFixed(0)} s`);
    await podsReady(namespace, "app.kubernetes.io/component=nats", count);
    await checked(api, keys, Date.now());
    const { requested } = countSlots(keys, await target.arrivals(), intervalMs, [fromMs, Date.now() - intervalMs]);
    lost.push(...(await notStored(ground, api, requested)));
  }
  await deleteAll(api, keys);
  return [
    refused,
    lossless("the README's steps to three NATS servers, and back to one", "no check lost", took.join(", "), lost),
  ];
}

const monitorsOf = async (api: Api): Promise<number[]> =>
  (await api.get<{ monitors: Monitor[] }>("/api/monitors?pageSize=200")).monitors.map(({ id }) => id);

const deleteAll = (api: Api, keys: ReadonlyMap<number, number>) =>
  api.send("POST", "/api/monitors/bulk", { action: "delete", ids: [...keys.keys()] });

/** Waits until each of these monitors has a check later than `sinceMs`. */
async function checked(api: Api, keys: ReadonlyMap<number, number>, sinceMs = 0): Promise<void> {
  for (const id of keys.keys()) {
    await until(`a check of monitor ${id}`, async () => {
      const { checks } = await api.get<{ checks: { slot: string }[] }>(`/api/monitors/${id}/checks?limit=1`);
      return checks.some(({ slot }) => Date.parse(slot) > sinceMs) ? true : undefined;
    });
  }
}
