import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BenchMonitor, startBus } from "./bus.ts";
import { byMonitor, type Figure, intervalErrors, ms, percentile } from "@sonde/testing/figures";
import { barePeerMs, maxTimes, times } from "./peers.ts";
import { startRunner } from "./runner-process.ts";
import { startRecordingTarget } from "@sonde/testing/recording-target/target";

const seconds = (count: number) => count * 1000;

function monitors(count: number, intervalMs: number, urlOf: (id: number) => string): BenchMonitor[] {
  return Array.from({ length: count }, (_, index) => ({
    monitorId: index + 1,
    url: urlOf(index + 1),
    intervalMs,
    timeoutMs: Math.min(10_000, intervalMs * 0.8),
  }));
}

/** P1 and P3: 10,000 monitors every 10 seconds. */
export async function manyMonitors(): Promise<Figure[]> {
  const [count, intervalMs, windowMs] = [10_000, seconds(10), seconds(40)];
  const target = await startRecordingTarget();
  const bus = await startBus(monitors(count, intervalMs, (id) => `http://127.0.0.1:${target.ports.http}/ok/${id}`));
  // The first start compiles changed sources, which takes 20 MiB. Later starts use the cache.
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
  await Promise.all([bus.close(), target.close()]);

  const perCheckMs = (cpuMs - before.cpuMs) / arrivals.ids.length;
  const cpu = ((cpuMs - before.cpuMs) / passedMs) * 100;
  const ratio = perCheckMs / bareMs;
  // Compared with bare requests at this rate. Skipped slots would make the ratio look better, so they fail both
  // figures.
  const cpuRatio = cpu / ((count / intervalMs) * bareMs * 100);
  return [
    row(
      "P1",
      `CPU of a runner a check, ${ms(perCheckMs)}, × a bare \`http.request\` of the same run, ${ms(bareMs)}`,
      `≤ ${times(maxTimes)}`,
      times(ratio),
      ratio <= maxTimes,
    ),
    row(
      "P3",
      "10,000 monitors every 10 s: CPU × bare requests at that rate",
      `≤ ${times(maxTimes)}`,
      times(cpuRatio),
      missed === 0 && cpuRatio <= maxTimes,
    ),
    row("P3", "the same: memory (RSS, highest)", "≤ 150 MiB", `${rssMib.toFixed(0)} MiB`, rssMib <= 150),
    row("P3", `the same: slots missed of ${count * whole}`, "0", String(missed), missed === 0),
  ];
}

/** P4: error of the intervals between checks. */
export async function punctuality(): Promise<Figure[]> {
  const [count, intervalMs, windowMs] = [1000, seconds(15), seconds(46)];
  const target = await startRecordingTarget();
  const bus = await startBus(monitors(count, intervalMs, (id) => `http://127.0.0.1:${target.ports.http}/ok/${id}`));
  const runner = await startRunner(bus.url);
  await sleep(seconds(5));
  await target.take();
  await sleep(windowMs);
  const times = byMonitor(await target.take());
  await runner.stop();
  await Promise.all([bus.close(), target.close()]);
  const errors = intervalErrors(times.values(), intervalMs);
  const p99 = percentile(errors, 0.99);
  return [row("P4", "error of the interval, 1,000 monitors every 15 s: p99", "≤ 5 ms", ms(p99), p99 <= 5)];
}

/** P6: restart after kill -9. */
export async function restart(): Promise<Figure[]> {
  const [count, intervalMs] = [1000, seconds(20)];
  const target = await startRecordingTarget();
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

/** P15: a verified TLS handshake per check. */
export async function httpsChecks(): Promise<Figure[]> {
  const [count, intervalMs, windowMs] = [500, seconds(5), seconds(20)];
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
  const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 30 * 86_400_000) });
  await writeFile(join(folder, "ca.pem"), certificate.cert);
  const target = await startRecordingTarget(certificate);
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
  await Promise.all([bus.close(), target.close(), rm(folder, { recursive: true })]);
  const perCheckMs = (cpuMs - before.cpuMs) / checks;
  const ratio = perCheckMs / bareMs;
  return [
    row(
      "P15",
      `CPU of a runner a fresh verified HTTPS check, ${ms(perCheckMs)}, × a bare TLS connection of the same run, ${ms(bareMs)}`,
      `≤ ${times(maxTimes)}`,
      times(ratio),
      ratio <= maxTimes,
    ),
  ];
}

function row(goal: string, what: string, wanted: string, measured: string, held: boolean): Figure {
  return { goal, what, wanted, measured, held };
}
