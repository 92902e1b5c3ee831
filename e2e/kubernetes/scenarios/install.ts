import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryOf } from "../cluster/processes.ts";
import { isReady, type Pod } from "../cluster/objects.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { figure, lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname } from "../sonde/chart.ts";

const mib = 2 ** 20;

export const install: Scenario = {
  name: "install",
  about: "helm install from a clean clone",
  async run(ground) {
    const { namespace, installSeconds } = await ground.sonde();
    const pods = (await namespace.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const unready = pods.filter((pod) => !isReady(pod)).map(({ metadata }) => `${metadata.name} is not ready`);
    const restarts = pods.flatMap(({ metadata, status }) =>
      (status.containerStatuses ?? [])
        .filter(({ restartCount }) => restartCount > 0)
        .map(({ restartCount }) => `${metadata.name} restarted ${restartCount} times`),
    );
    return [
      lossless(
        "`helm install --wait` of the chart in a clean clone, distributed",
        "all pods ready, no restart",
        `${pods.length} pods ready after ${installSeconds.toFixed(0)} s`,
        [...unready, ...restarts],
      ),
      lossless(
        "Pod Security `restricted`, enforced",
        "rejects nothing",
        "no pod rejected",
        await rejectedPods(namespace),
      ),
      lossless("service account tokens in pods", "none", "none mounted", pods.filter(hasToken).map(nameOf)),
      await quiet(namespace, pods),
      await rollout(namespace, await ground.chart()),
      await memory(pods),
    ];
  },
};

const nameOf = ({ metadata }: Pod) => `${metadata.name} has a token`;

function hasToken({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
}

/** Must not appear in the logs of a first install: services wait quietly for their roles and streams. */
const noise = /password authentication failed|Role "[^"]*" does not exist|Violation|"level":\d/;

async function quiet(namespace: Namespace, pods: readonly Pod[]): Promise<Row> {
  const names = pods.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(fullname));
  const logs = await Promise.all(names.map((name) => namespace.kubectl("logs", name)));
  const lines = logs.flatMap((log, index) =>
    log
      .split("\n")
      .filter((line) => noise.test(line))
      .map((line) => `${names[index]}: ${line}`),
  );
  return lossless(
    "logs of a first install",
    "no failed login, no permission violation, levels as words",
    `${names.length} logs`,
    lines,
  );
}

/** Runs the README's command after an install, which must wait for every workload. */
async function rollout(namespace: Namespace, chart: string): Promise<Row> {
  const readme = await readFile(join(chart, "README.md"), "utf8");
  const [, args = ""] = /^kubectl -n sonde (rollout status .*?)$/m.exec(readme) ?? [];
  const output = await namespace.kubectl(...args.split(" "));
  const workloads = (await namespace.deployments())
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(fullname));
  const missing = workloads.filter((name) => !output.includes(name));
  // kubectl does not print the name of a StatefulSet that is rolled out.
  if ((output.match(/partitioned roll out complete/g) ?? []).length < 2) missing.push("a StatefulSet");
  return lossless(
    "the README's `rollout status` after `helm install --wait`",
    "waits for all workloads",
    `${workloads.length} Deployments, 2 StatefulSets`,
    missing.map((name) => `${name} is not waited for`),
  );
}

async function rejectedPods(namespace: Namespace): Promise<string[]> {
  const events = await namespace.events();
  return events
    .filter(({ message }) => /violates PodSecurity/.test(message))
    .map(({ involvedObject, message }) => `${involvedObject.kind} ${involvedObject.name}: ${message}`);
}

async function memory(pods: readonly Pod[]): Promise<Row> {
  const sizes = await Promise.all(pods.map(async (pod) => ({ name: pod.metadata.name, bytes: await memoryOf(pod) })));
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  if (sum === 0) return figure("memory of all pods (Pss)", "the pods' processes are not visible from here");
  const largest = sizes.toSorted((left, right) => right.bytes - left.bytes).slice(0, 3);
  const each = largest.map(({ name, bytes }) => `${name} ${Math.round(bytes / mib)}`).join(", ");
  return figure("memory of all pods (Pss)", `${Math.round(sum / mib)} MiB; largest: ${each} MiB`);
}
