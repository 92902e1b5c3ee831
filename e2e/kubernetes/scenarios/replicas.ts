import { setTimeout as sleep } from "node:timers/promises";
import { createUntouched } from "../../kills/monitors.ts";
import { startLoad } from "../../kills/load.ts";
import { componentOf, type Pod } from "../cluster/objects.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { podsByComponent } from "../cluster/wait.ts";
import { judgeAlerts } from "../judge/alerts.ts";
import { startRequests } from "../load/requests.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { openAlertLog } from "../sonde/alerts.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { prepare } from "../sonde/prepare.ts";
import { readMetrics, sumOf } from "../sonde/pod-metrics.ts";
import { createSwitches } from "../sonde/switches.ts";

/** Counters of a replica's work: requests and calls, checks, results, samples, and events. */
const work =
  /^sonde_(rpc_server_seconds_count|http_request_seconds_count|agent_request_seconds_count|probe_checks_total|results_applied_total|notifier_events_total)$/;

export const replicas: Scenario = {
  name: "replicas",
  about: "the replicas of each service share the work",
  async run(ground) {
    const { namespace, url, target, api, token, call, from } = await prepare(ground);
    const pods = [...(await podsByComponent(namespace)).values()].filter((list) => list.length > 1).flat();
    const before = await workOf(namespace, pods);
    const alerts = await openAlertLog(api, target, `replicas-${from}`);
    const switches = await createSwitches(api, target, from, ground.options.quick ? 3 : 8);
    await createUntouched(call, token, target.url);
    const load = ground.during(await startLoad(call, token, target.url, from));
    const requests = ground.during(startRequests({ url, token }));
    for (const one of switches) await one.fail();
    for (const one of switches) await one.becomes("down");
    await sleep(ground.options.quick ? 5000 : 20_000);
    for (const one of switches) await one.heal();
    for (const one of switches) await one.becomes("up");
    await Promise.all([load.stop(), requests.stop()]);
    const expected = switches.map(({ monitorId }) => ({ monitorId, downs: 1, recoveries: 1 }));
    let verdict = judgeAlerts(expected, await alerts.received());
    for (let waited = 0; verdict.lost.length > 0 && waited < 30; waited++) {
      await sleep(1000);
      verdict = judgeAlerts(expected, await alerts.received());
    }
    const after = await workOf(namespace, pods);
    const idle = pods.filter((pod) => !((after.get(pod.metadata.name) ?? 0) > (before.get(pod.metadata.name) ?? 0)));
    await alerts.remove();
    await deleteMonitors(api);
    const components = new Set(pods.map(componentOf));
    const refusals = load.ledgers.flatMap(({ refusals: found }) => found);
    return [
      lossless(
        `two replicas of ${[...components].join(", ")}`,
        "each does part of the work",
        `${pods.length - idle.length} of ${pods.length} did`,
        idle.map(({ metadata }) => `${metadata.name} did nothing`),
      ),
      lossless(
        `${switches.length} monitors go down and up, alerts sent by webhook`,
        "each sent once",
        `${expected.length * 2} alerts`,
        [...verdict.lost, ...verdict.doubled, ...(verdict.repeated > 0 ? [`${verdict.repeated} sent twice`] : [])],
      ),
      lossless(
        "concurrent requests: reads over new and keep-alive connections, and writes",
        "none fails",
        `${requests.fresh.answered + requests.reused.answered} reads, ${load.ledgers.reduce((sum, { counts }) => sum + counts.acknowledged, 0)} writes`,
        [...requests.fresh.failures, ...requests.reused.failures, ...refusals],
      ),
    ];
  },
};

async function workOf(namespace: Namespace, pods: readonly Pod[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const sum = sumOf(await readMetrics(namespace, pod), work);
    counts.set(pod.metadata.name, Number.isNaN(sum) ? 0 : sum);
  }
  return counts;
}
