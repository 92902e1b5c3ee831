import { setTimeout as sleep } from "node:timers/promises";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Api } from "@sonde/testing/api";
import type { Namespace } from "../cluster/namespace.ts";
import type { Pod } from "../cluster/objects.ts";
import type { ClusterTarget } from "../cluster/target.ts";
import { podsReady, until } from "../cluster/wait.ts";
import type { Ground } from "../ground.ts";
import { countSlots, type Slot } from "../judge/slots.ts";
import { figure, lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname } from "../sonde/chart.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { readMetrics, sumOf } from "../sonde/pod-metrics.ts";
import { countTrouble } from "../sonde/trouble.ts";

const [intervalMs, storeTimeoutMs] = [15_000, 30_000];
const [maxDoubled, maxSpread, maxGrowth, maxShare] = [0.001, 1.25, 1.1, 1.1];
const selector = "app.kubernetes.io/component=probe-runner";
const deployment = `${fullname}-probe-runner-default`;

interface Stage {
  runners: number;
  fromMs: number;
  untilMs: number;
  /** CPU time of all runners, in milliseconds. */
  cpuMs: number;
  /** Number of checks by runner. */
  checks: number[];
}

export const runners: Scenario = {
  name: "runners",
  about: "1, then 4, then 1 probe runner with 5,000 monitors every 15 s",
  async run(ground) {
    const { quick } = ground.options;
    const { namespace } = await ground.sonde();
    const { api } = await ground.admin();
    const target = await ground.target(namespace);
    const count = quick ? 1000 : 5000;
    await scale(namespace, 1);
    const idle = await measure(namespace, 1, quick ? 10_000 : 20_000);
    const [warmMs, stageMs] = quick ? [intervalMs, intervalMs * 2] : [intervalMs * 3, intervalMs * 4];
    ground.log(`  creating ${count} monitors …`);
    // Start with the load that each of four runners will have.
    const from = ground.next();
    const keys = await createMonitors(api, target, from, count / 4);
    await sleep(warmMs);
    const quarter = await measure(namespace, 1, stageMs);
    for (const [id, key] of await createMonitors(api, target, from + count / 4, count - count / 4)) keys.set(id, key);
    await sleep(intervalMs * 1.5);
    const trouble = await countTrouble(namespace);
    const beganMs = Date.now();
    const stages: Stage[] = [];
    for (const number of [1, 4, 1]) {
      if (number !== stages.at(-1)?.runners) {
        await trouble.look();
        await scale(namespace, number);
        // A new process compiles its code during its first half minute.
        await sleep(warmMs);
      }
      stages.push(await measure(namespace, number, stageMs));
    }
    // A check may be as late as its interval, and its result is stored slightly later.
    const endMs = Date.now();
    await sleep(intervalMs);
    const arrivals = await target.arrivals();
    const slotsOf = (fromMs: number, untilMs: number) => countSlots(keys, arrivals, intervalMs, [fromMs, untilMs]);
    const whole = slotsOf(beganMs, endMs);
    const unstored = await notStored(ground, api, whole.requested);
    const gaveUp = await trouble.sum();
    await deleteMonitors(api);
    await scale(namespace, 2);

    const [one, four] = stages as [Stage, Stage];
    const spread = cpuOfCheck(four) / cpuOfCheck(one);
    const growth = cpuOfCheck(four) / cpuOfCheck(quarter);
    const rows: Row[] = stages.map((stage) => {
      const { runners: number, fromMs, untilMs } = stage;
      const { due, requested, doubled } = slotsOf(fromMs, untilMs);
      const seconds = (untilMs - fromMs) / 1000;
      return {
        what: `${count} monitors every 15 s, ${number} ${number === 1 ? "runner" : "runners"}: checks per second`,
        goal: `as due: ${(due / seconds).toFixed(1)}`,
        result: `${(requested.length / seconds).toFixed(1)}; CPU per check ${cpuOfCheck(stage).toFixed(3)} ms`,
        lost: due === requested.length ? "nothing" : `${due - requested.length} of ${due} slots`,
        held: due === requested.length && doubled <= due * maxDoubled,
      };
    });
    const share = whole.doubled / whole.due;
    rows.push(
      figure("an idle runner", `${((100 * idle.cpuMs) / (idle.untilMs - idle.fromMs)).toFixed(2)} % of a core`),
      {
        what: "checks of the busiest of 4 runners compared with a quarter of all",
        goal: `≤ ${maxShare} ×`,
        result: `${busiest(four).toFixed(3)} ×`,
        lost: "–",
        held: busiest(four) <= maxShare,
      },
      {
        what: `CPU per check at the same total: 4 runners compared with 1, both with ${count} monitors`,
        goal: `≤ ${maxSpread} ×`,
        result: `${spread.toFixed(2)} × (${cpuOfCheck(four).toFixed(3)} and ${cpuOfCheck(one).toFixed(3)} ms)`,
        lost: "–",
        held: spread <= maxSpread,
      },
      {
        what: `CPU per check at the same load per runner: 4 runners with ${count} monitors compared with 1 with ${count / 4}`,
        goal: `≤ ${maxGrowth} ×`,
        result: `${growth.toFixed(2)} × (${cpuOfCheck(four).toFixed(3)} and ${cpuOfCheck(quarter).toFixed(3)} ms)`,
        lost: "–",
        held: growth <= maxGrowth,
      },
      {
        what: "doubled slots from 1 runner to 4 and back",
        goal: "≤ 0.1 %",
        result: `${whole.doubled} of ${whole.due} (${(share * 100).toFixed(3)} %)`,
        lost: "–",
        held: share <= maxDoubled,
      },
      lossless(
        "slots from 1 runner to 4 and back",
        "all requested and in history",
        `${whole.requested.length} of ${whole.due} requested; runners gave up ${gaveUp}`,
        [...whole.missing.map((slot) => `${inWords(slot)} was not checked`), ...unstored],
      ),
    );
    return rows;
  },
};

const cpuOfCheck = ({ cpuMs, checks }: Stage) => cpuMs / checks.reduce((sum, count) => sum + count, 0);

async function scale(namespace: Namespace, replicas: number): Promise<void> {
  await namespace.kubectl("scale", `deployment/${deployment}`, `--replicas=${replicas}`);
  await podsReady(namespace, selector, replicas);
}

async function measure(namespace: Namespace, number: number, durationMs: number): Promise<Stage> {
  const pods = await podsReady(namespace, selector, number);
  const before = await figuresOf(namespace, pods);
  const fromMs = Date.now();
  await sleep(durationMs);
  const untilMs = Date.now();
  const after = await figuresOf(namespace, pods);
  return {
    runners: number,
    fromMs,
    untilMs,
    cpuMs: after.reduce((sum, { cpuMs }, index) => sum + cpuMs - (before[index]?.cpuMs ?? 0), 0),
    checks: after.map(({ checks }, index) => checks - (before[index]?.checks ?? 0)),
  };
}

async function figuresOf(namespace: Namespace, pods: readonly Pod[]): Promise<{ cpuMs: number; checks: number }[]> {
  const texts = await Promise.all(pods.map((pod) => readMetrics(namespace, pod)));
  return texts.map((text) => ({
    cpuMs: sumOf(text, "process_cpu_seconds_total") * 1000,
    checks: sumOf(text, "sonde_probe_checks_total"),
  }));
}

/** Checks of the busiest runner relative to an equal share. */
function busiest({ checks }: Stage): number {
  return (Math.max(...checks) * checks.length) / checks.reduce((sum, count) => sum + count, 0);
}

/** Creates monitors with healthy targets and returns the target's key for each id. */
export async function createMonitors(
  api: Api,
  target: ClusterTarget,
  from: number,
  count: number,
  everyMs: number = intervalMs,
) {
  const keys = new Map<number, number>();
  const left = Array.from({ length: count }, (_, index) => from + index);
  const makeNext = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) {
      const input = { name: `Load ${key}`, url: `${target.url}/ok/${key}`, interval: everyMs / 60_000 };
      const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", input);
      keys.set(monitor.id, key);
    }
  };
  await Promise.all(Array.from({ length: 8 }, makeNext));
  return keys;
}

/** Describes slots that the target received and history lacks, for a sample of about 100 monitors. */
export async function notStored(ground: Ground, api: Api, requested: readonly Slot[]): Promise<string[]> {
  const byMonitor = Map.groupBy(requested, ({ monitorId }) => monitorId);
  const sample = [...byMonitor].filter((_, index) => index % Math.ceil(byMonitor.size / 100) === 0);
  let losses: string[] = [];
  const look = async () => {
    losses = [];
    for (const [monitorId, slots] of sample) {
      const { checks } = await api.get<{ checks: { slot: string }[] }>(`/api/monitors/${monitorId}/checks?limit=200`);
      const stored = new Set(checks.map(({ slot }) => Date.parse(slot)));
      for (const { slotMs } of slots) {
        if (!stored.has(slotMs)) losses.push(`${inWords({ monitorId, slotMs })} is not in history`);
      }
    }
    return losses.length === 0 ? true : undefined;
  };
  await until("all checks in history", look, storeTimeoutMs).catch((error: Error) => ground.log(`  ${error.message}`));
  return losses;
}

const inWords = ({ monitorId, slotMs }: Slot) => `monitor ${monitorId} slot ${new Date(slotMs).toISOString()}`;
