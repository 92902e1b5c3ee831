/**
 * Measures a location whose runner connects through the gateway, next to a runner at the bus: `npm run bench --
 * locations`. `--write` updates bench/results/locations.md; `-- 200` uses 200 monitors. Needs Linux.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "@sonde/testing/api";
import { byMonitor, type Figure, ms } from "@sonde/testing/figures";
import { startForwarder } from "@sonde/testing/forwarder";
import { emptyDataDir, npmStart } from "@sonde/testing/npm-start";
import { processesBelow } from "@sonde/testing/processes";
import { startRecordingTarget } from "@sonde/testing/recording-target/target";
import { reportFigures } from "@sonde/testing/report";
import { makeMonitors } from "../pipeline/monitors.ts";
import { resultDelay } from "./delay.ts";

const [monitors = 1_000] = process.argv.slice(2).filter(Number).map(Number);
const [intervalSeconds, settleSeconds, windowSeconds, cutSeconds] = [5, 30, 90, 60];
const roundTripMs = 100;
/** Monitors whose results are compared with the target's requests. */
const compared = Math.min(200, monitors);
const location = "elsewhere";
const wanted = { times: 1.05, forwardedMs: 0.05, reconnectSeconds: 5 };

type Check = { startedAt: string; status: string };
type Locations = { locations: { name: string; remote?: { runners: { connected: boolean }[] } }[] };

const say = (line: string) => void process.stderr.write(`${line}\n`);
const root = resolve(import.meta.dirname, "../..");
const [folder, dataDir, target] = await Promise.all([
  mkdtemp(join(tmpdir(), "sonde-bench-")),
  emptyDataDir(),
  startRecordingTarget(),
]);
const environment = { MONITOR_MIN_INTERVAL_SECONDS: "1", PROBE_MAX_PER_HOST: "2000" };
const sonde = await npmStart(root, dataDir, environment);
const { api, token: session } = await firstAdmin(sonde.url);
const link = await startForwarder(sonde.url, { delayMs: roundTripMs / 2 });
await makeMonitors(api, target.ports.http, { count: monitors, intervalSeconds });
const local = await cost(sonde.pid);
const localDelay = await delay("default");

const { token } = await api.send<{ token: string }>("POST", "/api/locations", { name: location });
const file = join(folder, "sonde-runner.mjs");
await writeFile(file, await (await fetch(`${sonde.url}/downloads/sonde-runner.mjs`)).bytes());
const runner = spawn(join(root, "deploy/local/node"), [file], {
  env: {
    PATH: process.env.PATH,
    SONDE_URL: link.url,
    SONDE_TOKEN: token,
    SONDE_RUNNER_DIR: folder,
    // The target is on loopback.
    PROBE_DENY_CIDRS: "none",
    ...environment,
  },
  stdio: ["ignore", "ignore", "inherit"],
});
try {
  await connected();
  const changes = { locations: [location] };
  await api.send("POST", "/api/monitors/bulk", { filter: {}, action: "edit", changes });
  const remote = await cost(runner.pid!);
  const remoteDelay = await delay(location);
  const figures = [...compare(), ...(await cut())];
  await reportFigures("bench/results/locations", figures, `${monitors} monitors every ${intervalSeconds} s`);

  function compare(): Figure[] {
    const ratio = remote.runnerMs / local.runnerMs;
    const forwardedMs = remote.coreMs - local.coreMs;
    return [
      figure(
        `CPU of the runner a check: ${ms(remote.runnerMs)} remote, ${ms(local.runnerMs)} local`,
        `≤ ${wanted.times} ×`,
        `${ratio.toFixed(2)} ×`,
        ratio <= wanted.times,
      ),
      figure(
        `CPU of the gateway's process for each forwarded result (${ms(remote.coreMs)} a check instead of ${ms(local.coreMs)})`,
        `≤ ${wanted.forwardedMs} ms`,
        `${forwardedMs.toFixed(3)} ms`,
        forwardedMs <= wanted.forwardedMs,
      ),
      ...(["p50", "p95"] as const).map((name) => {
        const later = remoteDelay[name] - localDelay[name];
        return figure(
          `a new monitor's first result is shown after ${ms(remoteDelay[name])} instead of ${ms(localDelay[name])} (${name}), with ${roundTripMs} ms between runner and gateway and back: later by`,
          `≤ ${roundTripMs} ms`,
          ms(later),
          later <= roundTripMs,
        );
      }),
    ];
  }
} finally {
  runner.kill("SIGTERM");
  await Promise.all([link.stop(), sonde.stop(), target.close()]);
  await Promise.all([folder, dirname(dataDir)].map((path) => rm(path, { recursive: true, force: true })));
}
process.exit(0);

function figure(what: string, goal: string, measured: string, held: boolean): Figure {
  return { goal: "D1", what, wanted: goal, measured, held };
}

function delay(location: string) {
  say(`measuring the delay of results from ${location} …`);
  return resultDelay(api, { url: sonde.url, token: session }, target, location);
}

/** CPU milliseconds per check: of the runner, and of the process that contains the gateway. */
async function cost(runnerPid: number): Promise<{ runnerMs: number; coreMs: number }> {
  say(`measuring for ${settleSeconds + windowSeconds} s …`);
  await sleep(settleSeconds * 1000);
  const spent = async (name: string, pid = sonde.pid) => {
    const found = (await processesBelow(pid)).filter((process) => pid !== sonde.pid || process.name === name);
    if (found.length === 0) throw new Error(`no process ${name}`);
    return found.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  };
  const both = () => Promise.all([spent("probe-runner", runnerPid), spent("core"), target.take()]);
  const [runnerBefore, coreBefore] = await both();
  await sleep(windowSeconds * 1000);
  const [runnerAfter, coreAfter, { ids }] = await both();
  if (ids.length < (0.9 * monitors * windowSeconds) / intervalSeconds)
    throw new Error(`only ${ids.length} checks were made`);
  return { runnerMs: (runnerAfter - runnerBefore) / ids.length, coreMs: (coreAfter - coreBefore) / ids.length };
}

/** Resolves with the seconds until the location has a connected runner. */
async function connected(isConnected = true): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { locations } = await api.get<Locations>("/api/locations");
    const runners = locations.find(({ name }) => name === location)?.remote?.runners ?? [];
    if (runners.some((one) => one.connected) === isConnected) return (performance.now() - startedMs) / 1000;
    if (performance.now() - startedMs > 120_000)
      throw new Error(`the runner is not ${isConnected ? "" : "dis"}connected`);
    await sleep(100);
  }
}

/** Cuts the connection, and compares the target's requests with the stored results. */
async function cut(): Promise<Figure[]> {
  say(`cutting the connection for ${cutSeconds} s …`);
  await sleep(2 * intervalSeconds * 1000);
  await target.take();
  const fromMs = Date.now();
  await link.stop();
  await sleep(cutSeconds * 1000);
  await link.start();
  const seconds = await connected();
  const toMs = Date.now();
  const requests = byMonitor(await target.take());
  await sleep(2 * intervalSeconds * 1000);
  let [lost, down, made] = [0, 0, 0];
  const { monitors: listed } = await api.get<{ monitors: { id: number; name: string }[] }>(
    `/api/monitors?pageSize=${compared}`,
  );
  for (const { id, name } of listed) {
    const query = `from=${new Date(fromMs - 1000).toISOString()}&limit=200`;
    const { checks } = await api.get<{ checks: Check[] }>(`/api/monitors/${id}/checks?${query}`);
    const during = checks.filter(({ startedAt }) => Date.parse(startedAt) >= fromMs && Date.parse(startedAt) < toMs);
    // A check's request arrives shortly after its start.
    const sent =
      requests.get(Number(name.split(" ").at(-1)))?.filter((atMs) => atMs >= fromMs + 500 && atMs < toMs) ?? [];
    made += sent.length;
    lost += Math.max(0, sent.length - during.length);
    down += during.filter(({ status }) => status !== "up").length;
  }
  if (made < listed.length * (cutSeconds / intervalSeconds - 1)) throw new Error(`only ${made} checks were made`);
  const cutWhat = `connection cut for ${cutSeconds} s`;
  return [
    figure(
      `${cutWhat}: seconds until the runner is connected again`,
      `≤ ${wanted.reconnectSeconds} s`,
      `${seconds.toFixed(1)} s`,
      seconds <= wanted.reconnectSeconds,
    ),
    figure(
      `${cutWhat}: lost results, and false failures, of ${made} checks of ${listed.length} monitors`,
      "0, 0",
      `${lost}, ${down}`,
      lost === 0 && down === 0,
    ),
  ];
}
