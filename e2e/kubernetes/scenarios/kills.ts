import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../../kills/load.ts";
import { createUntouched } from "../../kills/monitors.ts";
import type { Kill } from "../../kills/slots.ts";
import { deletePod, evictPod } from "../cluster/disrupt.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { isReady, type Pod } from "../cluster/objects.ts";
import { processesOf, signalPod } from "../cluster/processes.ts";
import { allReady, podsByComponent, until } from "../cluster/wait.ts";
import { judgeAndTidy } from "../judge/close.ts";
import { figure, lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { openAlertLog } from "../sonde/alerts.ts";
import { prepare } from "../sonde/prepare.ts";
import { createSwitches } from "../sonde/switches.ts";
import { countTrouble } from "../sonde/trouble.ts";

const services = [
  "gateway",
  "probe-runner",
  "monitors",
  "metrics",
  "agent-ingest",
  "auth",
  "notifier",
  "status-page",
] as const;

type Means = "SIGKILL" | "SIGSTOP" | "deletion" | "eviction";
const [warmMs, stoppedMs, pause] = [12_000, 20_000, { min: 300, max: 2000 }];

export const kills: Scenario = {
  name: "kills",
  about: "each pod under load: SIGKILL, SIGSTOP for 20 s, deletion without grace, eviction",
  async run(ground) {
    const { namespace, target, api, token, call, from } = await prepare(ground);
    const alerts = await openAlertLog(api, target, `kills-${from}`);
    const switches = await createSwitches(api, target, from, ground.options.quick ? 2 : 6);
    const untouched = await createUntouched(call, token, target.url);
    const trouble = await countTrouble(namespace);
    const load = ground.during(await startLoad(call, token, target.url, from));
    await sleep(warmMs);

    const anyRunner = (await podsByComponent(namespace)).get("probe-runner")?.[0];
    const seesProcesses = anyRunner !== undefined && (await processesOf(anyRunner)).length > 0;
    const means: Means[] = seesProcesses ? ["SIGKILL", "SIGSTOP", "deletion", "eviction"] : ["deletion", "eviction"];
    const done: { means: Means; service: string; readySeconds: number }[] = [];
    const ofRunners: Kill[] = [];
    let turned = 0;
    for (const [round, how] of means.entries()) {
      for (const [index, service] of services.entries()) {
        // The quick form disrupts each service once, with a different method each.
        if (ground.options.quick && index % means.length !== round) continue;
        await sleep(randomInt(pause.min, pause.max));
        // Meanwhile, one monitor after another fails and recovers.
        const one = switches[Math.floor(turned / 2)];
        if (one !== undefined && turned % 2 === 0) await one.fail();
        else if (one !== undefined) {
          // The pods may be ready before the failing monitor is due, so wait.
          await one.becomes("down");
          await one.heal();
        }
        turned++;
        const pod = (await podsByComponent(namespace)).get(service)?.find(isReady);
        if (pod === undefined) throw new Error(`no ready pod of ${service}`);
        if (service === "probe-runner") await trouble.look();
        const atMs = Date.now();
        if (service === "probe-runner" && how !== "eviction") ofRunners.push({ name: service, atMs });
        await disrupt(namespace, pod, how);
        await allReady(namespace);
        done.push({ means: how, service, readySeconds: (Date.now() - atMs) / 1000 });
        ground.log(`  ${how} of ${service}: all ready after ${((Date.now() - atMs) / 1000).toFixed(0)} s`);
      }
    }
    for (const one of switches) await one.heal();
    await sleep(warmMs);
    await load.stop();
    for (const one of switches) await one.becomes("up");

    const expected = switches
      .slice(0, Math.ceil(turned / 2))
      .map(({ monitorId }) => ({ monitorId, downs: 1, recoveries: 1 }));
    const { counted, losses, verdict } = await judgeAndTidy({
      namespace,
      target,
      api,
      call,
      token,
      untouched,
      load,
      alerts,
      expected,
      kills: ofRunners,
      trouble: trouble.sum,
      log: ground.log,
    });
    const { unanswered, acknowledged } = load.ledgers.reduce(
      (sum, { counts }) => ({
        unanswered: sum.unanswered + counts.unanswered,
        acknowledged: sum.acknowledged + counts.acknowledged,
      }),
      { unanswered: 0, acknowledged: 0 },
    );
    const rows: Row[] = means.map((how) => {
      const those = done.filter((one) => one.means === how);
      const longest = those.toSorted((left, right) => right.readySeconds - left.readySeconds)[0];
      const slowest = `all ready again after at most ${longest?.readySeconds.toFixed(0)} s (${longest?.service})`;
      return figure(`${how} of one pod each: ${those.map(({ service }) => service).join(", ")}`, slowest);
    });
    if (!seesProcesses) {
      rows.push(figure("SIGKILL, SIGSTOP", "skipped: this program cannot see the node's processes"));
    }
    rows.push(
      lossless(`acknowledged data after ${done.length} of these`, "nothing lost, no false DOWN", counted, losses),
      lossless(
        "webhook alerts of monitors that went down and up during the kills",
        "each sent in one message",
        `${expected.length * 2} sent; ${verdict.repeated} sent again with the same webhook-id`,
        [...verdict.lost, ...verdict.doubled],
      ),
      figure(
        "unacknowledged writes; repeated reports",
        `${unanswered} of ${unanswered + acknowledged}; ${load.agents.reports.unanswered}`,
      ),
    );
    return rows;
  },
};

async function disrupt(namespace: Namespace, pod: Pod, how: Means): Promise<void> {
  const { name } = pod.metadata;
  if (how === "deletion") return deletePod(namespace, pod).then(() => gone(namespace, name));
  if (how === "eviction") return evictPod(namespace, pod).then(() => gone(namespace, name));
  const restarts = restartsOf(pod);
  if (!(await signalPod(pod, how))) throw new Error(`${name} has no process that is visible from here`);
  if (how === "SIGSTOP") {
    await sleep(stoppedMs);
    await signalPod(pod, "SIGCONT");
    return;
  }
  await until(`${name} is started again`, async () => {
    const now = (await namespace.pods()).find(({ metadata }) => metadata.name === name);
    return now !== undefined && restartsOf(now) > restarts ? now : undefined;
  });
}

const restartsOf = ({ status }: Pod) =>
  (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

async function gone(namespace: Namespace, name: string): Promise<void> {
  await until(`${name} is gone`, async () =>
    (await namespace.pods()).some(({ metadata }) => metadata.name === name) ? undefined : true,
  );
}
