import { memoryOf } from "../cluster/processes.ts";
import { isReady, type Pod } from "../cluster/objects.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { figure, lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";

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
      lossless("Pod Security `restricted`, enforced", "refuses nothing", "no pod refused", await refused(namespace)),
      lossless("tokens of service accounts in pods", "none", "none mounted", pods.filter(hasToken).map(nameOf)),
      await memory(pods),
    ];
  },
};

const nameOf = ({ metadata }: Pod) => `${metadata.name} has one`;

function hasToken({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
}

async function refused(namespace: Namespace): Promise<string[]> {
  const events = await namespace.events();
  return events
    .filter(({ message }) => /violates PodSecurity/.test(message))
    .map(({ involvedObject, message }) => `${involvedObject.kind} ${involvedObject.name}: ${message}`);
}

async function memory(pods: readonly Pod[]): Promise<Row> {
  const sizes = await Promise.all(pods.map(async (pod) => ({ name: pod.metadata.name, bytes: await memoryOf(pod) })));
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  if (sum === 0) return figure("memory of all pods (Pss)", "the pods' processes cannot be seen from here");
  const most = sizes.toSorted((left, right) => right.bytes - left.bytes).slice(0, 3);
  const each = most.map(({ name, bytes }) => `${name} ${Math.round(bytes / mib)}`).join(", ");
  return figure("memory of all pods (Pss)", `${Math.round(sum / mib)} MiB; most: ${each} MiB`);
}
