import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BenchMonitor, startBus } from "./bus.ts";
import { byMonitor, type Figure, intervalErrors, meanDriftMs, ms, percent, percentile } from "@sonde/testing/figures";
import { barePeerMs, multiples, pacedPeerMs, times } from "./peers.ts";
import { startRunner } from "./runner-process.ts";
import { startTarget } from "@sonde/testing/recording-target/target";

const seconds = (count: number) => count * 1000;

function monitors(count: number, intervalMs: number, urlOf: (id: number) => string): BenchMonitor[] {
  return Array.from({ length: count }, (_, index) => ({
    monitorId: index + 1,
    url: urlOf(index + 1),
    intervalMs,
    timeoutMs: Math.min(10_000, intervalMs * 0.8),
  }));
}

/** P1 and P3: ten thousand monitors every ten seconds. */
export async function manyMonitors(): Promise<Figure[]> {
  const [count, intervalMs, windowMs] = [10_000, seconds(10), seconds(40)];
  const target = await startTarget();
  const bus = await startBus(monitors(count, intervalMs, (id) => `http://127.0.0.1:${target.ports.http}/ok/${id}`));
  // Sources that were changed are stripped at the first start, which takes 20 MiB; every later start finds them cached.
  await (await startRunner(bus.url)).stop();
  const runner = await startRunner(bus.url);
  await sleep(intervalMs * 1.5);
  await target.take();
  const before = await runner.usage();
  const skippedBefore = await runner.metric("sonde_probe_skipped_slots_total");
  const startedMs = performance.now();
  let rssMib = 0;
  while (performance.now() - startedMs < windowMs) {
    await sleep(1000);
    rssMib = Math.max(rssMib, (await runner.usage()).rssMib);
  }
  const passedMs = performance.now() - startedMs;
  const { cpuMs } = await runner.usage();
  const arrivals = await target.take();
  const skipped = (await runner.metric("sonde_probe_skipped_slots_total")) - skippedBefore;
  const lacking = count - byMonitor(arrivals).size;
  const whole = Math.floor(passedMs / intervalMs);
  let missed = skipped + lacking * whole;
  for (const times of byMonitor(arrivals).values()) missed += Math.max(0, whole - times.length);
  await runner.stop();
  const bareMs = await barePeerMs(target.ports.http);
  const pacedMs = await pacedPeerMs(target.ports.http, count / (intervalMs / 1000));
  await Promise.all([bus.close(), target.close()]);

  const perCheckMs = (cpuMs - before.cpuMs) / arrivals.ids.length;
  const cpu = ((cpuMs - before.cpuMs) / passedMs) * 100;
  const ratio = perCheckMs / bareMs;
  // What bare requests would take of a core at this rate. A runner that skips slots has it easy, and holds neither.
  const cpuRatio = cpu / ((count / intervalMs) * bareMs * 100);
  return [
    row(
      "P1",
      "CPU of a runner per HTTP check, fresh connection, guard, phases and publishing",
      "≤ 0.20 ms",
      ms(perCheckMs),
      perCheckMs <= 0.2,
    ),
    row(
      "P1",
      `the same against a bare \`http.request\` of the same run, ${ms(bareMs)}`,
      `≤ ${times(multiples.httpCheck)}`,
      times(ratio),
      ratio <= multiples.httpCheck,
    ),
    paced("P1", "request", pacedMs, perCheckMs),
    row("P3", "10,000 monitors every 10 s: CPU of one core", "≤ 25 %", percent(cpu), missed === 0 && cpu <= 25),
    row(
      "P3",
      "the same against bare requests at that rate",
      `≤ ${times(multiples.thousandChecks)}`,
      times(cpuRatio),
      missed === 0 && cpuRatio <= multiples.thousandChecks,
    ),
    row("P3", "the same: memory (RSS, highest)", "≤ 100 MiB", `${rssMib.toFixed(0)} MiB`, rssMib <= 100),
    row("P3", `the same: slots missed of ${count * whole}`, "0", String(missed), missed === 0),
  ];
}

/** What the same requests cost without a runner around them, on this machine just now. */
export async function bareRequests(): Promise<Figure[]> {
  const target = await startTarget();
  const perRequestMs = await barePeerMs(target.ports.http);
  await target.close();
  return [row("P1", "peer: bare `http.request` over fresh connections, CPU each", "–", ms(perRequestMs), true)];
}

/** P4, and P5 with a share of targets that never answer. */
export async function punctuality(hangingShare: number): Promise<Figure[]> {
  const [count, intervalMs, windowMs] = [5000, seconds(15), seconds(46)];
  const hanging = count * hangingShare;
  const target = await startTarget();
  const url = (id: number) => `http://127.0.0.1:${target.ports.http}/${id <= hanging ? "hang" : "ok"}/${id}`;
  const bus = await startBus(monitors(count, intervalMs, url));
  const runner = await startRunner(bus.url);
  await sleep(seconds(hanging > 0 ? 20 : 5));
  await target.take();
  await sleep(windowMs);
  const times = byMonitor(await target.take());
  for (let id = 1; id <= hanging; id++) times.delete(id);
  await runner.stop();
  await Promise.all([bus.close(), target.close()]);

  const errors = intervalErrors(times.values(), intervalMs);
  const p99 = percentile(errors, 0.99);
  const worst = errors.at(-1) ?? Number.NaN;
  if (hanging > 0) {
    const what = `the same for the well, while ${hangingShare * 100} % of targets hang: p99`;
    return [row("P5", what, "≤ 10 ms", ms(p99), p99 <= 10), row("P5", "the same: max", "–", ms(worst), true)];
  }
  const drift = meanDriftMs(times.values(), intervalMs);
  return [
    row("P4", "error of the interval at 5,000 monitors every 15 s: p99", "≤ 5 ms", ms(p99), p99 <= 5),
    row("P4", "the same: max", "≤ 50 ms", ms(worst), worst <= 50),
    row("P4", "the same: mean drift over the run", "0 ms", ms(drift), Math.abs(drift) < 1),
  ];
}

/** P6: kill -9 and start again. */
export async function restart(): Promise<Figure[]> {
  const [count, intervalMs] = [1000, seconds(20)];
  const target = await startTarget();
  const bus = await startBus(monitors(count, intervalMs, (id) => `http://127.0.0.1:${target.ports.http}/ok/${id}`));
  const first = await startRunner(bus.url);
  await sleep(intervalMs + seconds(1));
  await first.kill();
  const before = byMonitor(await target.take());
  const restartedMs = Date.now();
  const second = await startRunner(bus.url);
  await sleep(restartedMs + 2 * intervalMs + seconds(1) - Date.now());
  const after = byMonitor(await target.take());
  await second.stop();
  await Promise.all([bus.close(), target.close()]);

  let checked = 0;
  const shifts: number[] = [];
  for (const [id, times] of after) {
    const old = before.get(id)?.at(-1);
    const first = times[0]!;
    if (first - restartedMs <= intervalMs) checked++;
    if (old === undefined) continue;
    const span = times.at(-1)! - old;
    shifts.push(Math.abs(span - Math.round(span / intervalMs) * intervalMs));
  }
  const shift = percentile(Float64Array.from(shifts), 0.99);
  return [
    row(
      "P6",
      `after kill -9 and a start, monitors of ${count} checked within one interval`,
      String(count),
      String(checked),
      checked === count,
    ),
    row("P6", "the same: distance from their old slots, p99", "0 (≤ 5 ms)", ms(shift), shift <= 5),
  ];
}

/** P15: a verified TLS handshake for each check. */
export async function httpsChecks(): Promise<Figure[]> {
  const [count, intervalMs, windowMs] = [500, seconds(5), seconds(20)];
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
  const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 30 * 86_400_000) });
  await writeFile(join(folder, "ca.pem"), certificate.cert);
  const target = await startTarget(certificate);
  const bus = await startBus(monitors(count, intervalMs, (id) => `https://127.0.0.1:${target.ports.https}/ok/${id}`));
  const runner = await startRunner(bus.url, { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") });
  await sleep(intervalMs * 2);
  await target.take();
  const before = await runner.usage();
  await sleep(windowMs);
  const { cpuMs } = await runner.usage();
  const checks = (await target.take()).ids.length;
  await runner.stop();
  const bareMs = await barePeerMs(target.ports.https, join(folder, "ca.pem"));
  const pacedMs = await pacedPeerMs(target.ports.https, count / (intervalMs / 1000), join(folder, "ca.pem"));
  await Promise.all([bus.close(), target.close(), rm(folder, { recursive: true })]);
  const perCheckMs = (cpuMs - before.cpuMs) / checks;
  const ratio = perCheckMs / bareMs;
  return [
    row(
      "P15",
      "CPU of a runner per HTTPS check, fresh verified handshake",
      "≤ 1.1 ms",
      ms(perCheckMs),
      perCheckMs <= 1.1,
    ),
    row(
      "P15",
      `the same against a bare TLS connection of the same run, verified and fresh, ${ms(bareMs)}`,
      `≤ ${times(multiples.httpsCheck)}`,
      times(ratio),
      ratio <= multiples.httpsCheck,
    ),
    paced("P15", "TLS connection", pacedMs, perCheckMs),
  ];
}

/** The bare peers above come in groups; monitors are due one by one, which costs any process more. */
function paced(goal: string, what: string, bareMs: number, perCheckMs: number): Figure {
  const peer = `the same against bare ones that come one at a time, as often as the checks, ${ms(bareMs)} a ${what}`;
  return row(goal, peer, "–", times(perCheckMs / bareMs), true);
}

function row(goal: string, what: string, wanted: string, measured: string, held: boolean): Figure {
  return { goal, what, wanted, measured, held };
}
