/**
 * Measures how soon and how cheaply alerts leave, and what becomes of a storm of them: `npm run bench:notify`, with
 * `--write` into bench/results/notify.md. It takes the place of the probe runner: results come when it says. Linux alone.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startStandIn } from "@sonde/notifier/testing/stand-ins";
import { channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { WebhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { reportFigures } from "@sonde/testing/report";
import { usageOf } from "../pipeline/usage.ts";
import { startWhole } from "@sonde/testing/whole";
import { type Figure, ms, percentile } from "@sonde/testing/figures";
import { startRunner } from "./failing.ts";

const [prompt = 300, storm = 1000, byEach = storm] = process.argv.slice(2).filter(Number).map(Number);
/** Between two alerts of the first part. */
const pauseMs = 40;
const settledWithinMs = 600_000;

const say = (line: string) => void process.stderr.write(`${line}\n`);
const figures: Figure[] = [];
const standIns = await Promise.all(channelTypeNames.map((type) => startStandIn(type, { mindLimits: true })));
const hook = standIns.find(({ type }) => type === "webhook")!;
const sonde = await startWhole({ environment: { MONITOR_MIN_INTERVAL_SECONDS: "1" } });
process.once("SIGINT", () => void sonde.close().then(() => process.exit(130)));
try {
  const { api } = await firstAdmin(sonde.url);
  say(`making ${prompt + storm} monitors …`);
  const ids = await makeMonitors(api, prompt + storm);
  await sonde.stop("probe-runner");
  const runner = await startRunner(sonde.natsUrl);
  await runner.report(ids, "up");
  // What they did before is over and done with.
  await until(
    async () => (await api.get<{ total: number }>("/api/monitors?pageSize=1&status=up")).total === ids.length,
  );
  const channels = await makeChannels(api);
  await tellThrough(api, [channels.get("webhook")!]);

  say(`${prompt} alerts, one after the other …`);
  const first = ids.slice(0, prompt);
  const latencies = await oneByOne(first, (id) => runner.report([id], "down"));
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  figures.push(
    row("P13", "a failing result → the webhook's request: p50", ms(p50)),
    row("P13", "the same: p99", ms(p99), "≤ 150 ms", p99 <= 150),
    row("P13", "the same: slowest", ms(percentile(latencies, 1))),
  );

  say(`${storm} alerts in one second, by webhook …`);
  const rest = ids.slice(prompt);
  const before = await usageOf(sonde.pids().get("notifier")!);
  const acceptedBefore = hook.accepted.length;
  const begunMs = Date.now();
  await runner.report(rest, "down");
  await settled(api, prompt + storm);
  const seconds = (Math.max(...hook.accepted.map(({ atMs }) => atMs)) - begunMs) / 1000;
  const cpuMs = (await usageOf(sonde.pids().get("notifier")!)).cpuMs - before.cpuMs;
  const sent = hook.accepted.slice(acceptedBefore).map(({ json }) => incidentOf(json));
  figures.push(
    row("–", `${storm} alerts at once by webhook: the last left after`, `${seconds.toFixed(1)} s`),
    row("–", "CPU of the notifier a delivery", ms(cpuMs / storm), "≤ 2 ms", cpuMs / storm <= 2),
    row(
      "R2",
      "the same: lost; doubled",
      `${storm - new Set(sent).size}; ${sent.length - new Set(sent).size}`,
      "0; 0",
      new Set(sent).size === storm && sent.length === storm,
    ),
  );

  say("the same by each type of channel …");
  await runner.report(rest, "up");
  await settled(api, prompt + 2 * storm);
  const some = rest.slice(0, byEach);
  await tellThrough(api, [...channels.values()]);
  const requests = new Map(
    standIns.map(({ type, requests: all, accepted }) => [type, { all: all.length, taken: accepted.length }]),
  );
  await runner.report(some, "down");
  await settled(api, prompt + 2 * storm + byEach * channelTypeNames.length);
  for (const { type, requests: all, accepted } of standIns) {
    const { all: sent, taken } = requests.get(type)!;
    const [asked, tookIn] = [all.length - sent, accepted.length - taken];
    const failed = await count(api, `channel=${channels.get(type)}&status=failed`);
    figures.push(
      row(
        "–",
        `${byEach} alerts by ${type}: requests; refused for their rate; alerts not sent`,
        `${asked}; ${asked - tookIn}; ${failed}`,
        "…; 0; 0",
        asked === tookIn && failed === 0,
      ),
    );
  }
  await runner.close();
} finally {
  await Promise.all([sonde.close(), ...standIns.map((standIn) => standIn.stop())]);
}
await reportFigures("bench/results/notify", figures);
process.exit(0);

function row(goal: string, what: string, measured: string, wanted = "–", held = false): Figure {
  return { goal, what, wanted, measured, held };
}

async function makeMonitors(api: Api, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, index) => `Monitor ${index + 1}`);
  const ids: number[] = [];
  const makeNext = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      // The next look is not within the hour.
      const input = { type: "tcp", name, host: "127.0.0.1", port: 9, interval: 600, timeout: 1 };
      ids.push((await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", input)).monitor.id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, makeNext));
  return ids.sort((one, other) => one - other);
}

async function makeChannels(api: Api): Promise<Map<string, number>> {
  const made = standIns.map(async ({ type, config }) => {
    const input = { type, name: type, config };
    const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", input);
    return [type, channel.id] as const;
  });
  return new Map(await Promise.all(made));
}

async function tellThrough(api: Api, ids: readonly number[]): Promise<void> {
  const settings = { enabled: true, channels: ids, language: "en-US" };
  await api.send("PUT", "/api/notifications/settings/global-monitor", settings);
}

/** How long each alert took from the result to the webhook, in milliseconds. */
async function oneByOne(ids: readonly number[], fail: (id: number) => Promise<void>): Promise<Float64Array> {
  const sentMs = new Map<number, number>();
  for (const id of ids) {
    sentMs.set(id, Date.now());
    await fail(id);
    await sleep(pauseMs);
  }
  await until(() => hook.accepted.length >= ids.length);
  return Float64Array.from(hook.accepted.map(({ json, atMs }) => atMs - (sentMs.get(targetOf(json)) ?? 0)));
}

async function count(api: Api, query: string): Promise<number> {
  return (await api.get<{ total: number }>(`/api/notifications/deliveries?pageSize=1&${query}`)).total;
}

/** Waits until so many deliveries are settled. */
function settled(api: Api, total: number): Promise<void> {
  return until(async () => (await count(api, "")) >= total && (await count(api, "status=pending")) === 0, 500);
}

async function until(holds: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  const deadline = Date.now() + settledWithinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("not all alerts were sent in time");
    await sleep(everyMs);
  }
}

function incidentOf(json: unknown): string {
  return (json as WebhookEvent).data.incident.id;
}
function targetOf(json: unknown): number {
  return (json as WebhookEvent).data.target.id;
}
