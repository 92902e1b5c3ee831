/**
 * Measures the time from a failing result to the outgoing alert: `npm run bench -- notify`. `--write` updates
 * bench/results/notify.md; a number sets the number of alerts. The benchmark publishes results in place of the probe
 * runner.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startStandIn } from "@sonde/notifier/testing/stand-ins";
import type { WebhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { reportFigures } from "@sonde/testing/report";
import { startWhole } from "@sonde/testing/whole";
import { ms, percentile } from "@sonde/testing/figures";
import { startRunner } from "./failing.ts";

const [count = 300] = process.argv.slice(2).filter(Number).map(Number);
const pauseMs = 40;
const settledWithinMs = 600_000;

const say = (line: string) => void process.stderr.write(`${line}\n`);
const hook = await startStandIn("webhook");
let latencies: Float64Array;
const sonde = await startWhole({ environment: { MONITOR_MIN_INTERVAL_SECONDS: "1" } });
process.once("SIGINT", () => void sonde.close().then(() => process.exit(130)));
try {
  const { api } = await firstAdmin(sonde.url);
  say(`making ${count} monitors …`);
  const ids = await makeMonitors(api, count);
  await sonde.stop("probe-runner");
  const runner = await startRunner(sonde.natsUrl);
  await runner.report(ids, "up");
  // Alerts of earlier runs must be finished.
  await until(
    async () => (await api.get<{ total: number }>("/api/monitors?pageSize=1&status=up")).total === ids.length,
  );
  await notifyByWebhook(api);

  say(`${count} alerts, one after the other …`);
  latencies = await oneByOne(ids, (id) => runner.report([id], "down"));
  await runner.close();
} finally {
  await Promise.all([sonde.close(), hook.stop()]);
}
const p99 = percentile(latencies, 0.99);
await reportFigures("bench/results/notify", [
  {
    goal: "P13",
    what: `failing result → request at the webhook, ${count} alerts ${pauseMs} ms apart: p99`,
    wanted: "≤ 150 ms",
    measured: `${ms(p99)} (p50 ${ms(percentile(latencies, 0.5))}, at most ${ms(percentile(latencies, 1))})`,
    held: p99 <= 150,
  },
]);
process.exit(0);

async function makeMonitors(api: Api, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, index) => `Monitor ${index + 1}`);
  const ids: number[] = [];
  const makeNext = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      // The next check is an hour away.
      const input = { type: "tcp", name, host: "127.0.0.1", port: 9, interval: 600, timeout: 1 };
      ids.push((await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", input)).monitor.id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, makeNext));
  return ids.sort((one, other) => one - other);
}

async function notifyByWebhook(api: Api): Promise<void> {
  const input = { type: "webhook", name: "webhook", config: hook.config };
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", input);
  const settings = { enabled: true, channels: [channel.id], language: "en-US" };
  await api.send("PUT", "/api/notifications/settings/global-monitor", settings);
}

/** Milliseconds from the result to the webhook, per alert. */
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

async function until(holds: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  const deadline = Date.now() + settledWithinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("not all alerts were sent in time");
    await sleep(everyMs);
  }
}

function targetOf(json: unknown): number {
  return (json as WebhookEvent).data.target.id;
}
