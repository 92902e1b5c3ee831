/**
 * Measures the CPU time of a check over all processes, and the bytes all stores write for it, at 50, 200 and 1,000
 * checks a second: `npm run bench -- pipeline`. `--write` updates bench/results/pipeline.md; `-- 200 5 30` measures
 * only 200 monitors every 5 s for 30 s. Needs Linux.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "@sonde/testing/api";
import { byMonitor, type Figure, ms } from "@sonde/testing/figures";
import { barePeerMs, times } from "../probe/peers.ts";
import { startRecordingTarget } from "@sonde/testing/recording-target/target";
import { makeMonitors } from "./monitors.ts";
import { reportFigures } from "@sonde/testing/report";
import { type Observed, observe, stores } from "./observe.ts";
import { startWhole } from "@sonde/testing/whole";

/** Number of monitors, their interval, and the measuring time. */
type Load = { count: number; intervalSeconds: number; windowSeconds: number };
const [count, intervalSeconds = 5, windowSeconds = 90] = process.argv.slice(2).filter(Number).map(Number);
/** Each load adds monitors to those of the previous one. */
const loads: Load[] =
  count !== undefined
    ? [{ count, intervalSeconds, windowSeconds }]
    : [
        { count: 250, intervalSeconds: 5, windowSeconds: 90 },
        { count: 1000, intervalSeconds: 5, windowSeconds: 90 },
        { count: 5000, intervalSeconds: 5, windowSeconds: 60 },
      ];
/** The processes that a check passes through. The rest of Sonde also runs. */
const stages = {
  "probe-runner": "runner",
  nats: "NATS",
  monitors: "state",
  postgres: "PostgreSQL",
  metrics: "ClickHouse",
};
const warmSeconds = 20;
/** Goals by rate: CPU of a check as a multiple of a bare request, and bytes written. */
const wantedTimes = new Map([
  [200, 4.2],
  [1000, 2],
]);
const wantedBytes = new Map([[50, 2048]]);

const say = (line: string) => void process.stderr.write(`${line}\n`);
say("bare requests …");
const target = await startRecordingTarget();
const bareMs = await barePeerMs(target.ports.http);
const figures: Figure[] = [row("P2", "peer: bare `http.request` over fresh connections, CPU each", ms(bareMs))];
const sonde = await startWhole({
  environment: { MONITOR_MIN_INTERVAL_SECONDS: "1", PROBE_MAX_PER_HOST: "2000" },
});
process.once("SIGINT", () => void sonde.close().then(() => process.exit(130)));
try {
  const { api } = await firstAdmin(sonde.url);
  for (const [index, load] of loads.entries()) figures.push(...(await measure(load, loads[index - 1]?.count ?? 0)));

  async function measure(load: Load, there: number): Promise<Figure[]> {
    const { count, intervalSeconds, windowSeconds } = load;
    say(`making ${count - there} monitors …`);
    await makeMonitors(api, target.ports.http, { count, intervalSeconds, there });
    await sleep(Math.max(warmSeconds, intervalSeconds * 1.5) * 1000);
    const busy = await observe(sonde, windowSeconds, target.take);
    const checks = busy.counted.ids.length;
    const monitors = byMonitor(busy.counted).size;
    if (monitors < count) throw new Error(`${count - monitors} of ${count} monitors were not checked`);
    const rate = rateOf(load);
    return [...cpuFigures(busy, checks, rate), ...diskFigures(busy, checks, rate)].map((figure) => ({
      ...figure,
      what: `${rate}/s: ${figure.what}`,
    }));
  }
} finally {
  await Promise.all([sonde.close(), target.close()]);
}
const afterRun = loads.map(
  (load) => `${load.count} monitors every ${load.intervalSeconds} s, ${load.windowSeconds} s long`,
);
await reportFigures("bench/results/pipeline", figures, afterRun.join("; "));
process.exit(0);

function rateOf({ count, intervalSeconds }: Load): number {
  return Math.round(count / intervalSeconds);
}

function row(goal: string, what: string, measured: string, wanted = "–", held = false): Figure {
  return { goal, what, wanted, measured, held };
}

function cpuFigures({ spent }: Observed, checks: number, rate: number): Figure[] {
  const parts = Object.entries(stages).map(([name, stage]) => ({
    stage,
    each: (spent.get(name)?.cpuMs ?? 0) / checks,
  }));
  const sum = parts.reduce((total, { each }) => total + each, 0);
  const max = wantedTimes.get(rate);
  return [
    row("P2", "CPU a check", `${ms(sum)} (${parts.map(({ stage, each }) => `${stage} ${ms(each)}`).join(", ")})`),
    row(
      "P2",
      "the same, × a bare `http.request`",
      times(sum / bareMs),
      max === undefined ? "–" : `≤ ${times(max)}`,
      max !== undefined && sum <= bareMs * max,
    ),
  ];
}

function diskFigures({ spent }: Observed, checks: number, rate: number): Figure[] {
  const kib = (bytes: number) => `${(bytes / 1024).toFixed(2)} KiB`;
  const parts = stores.map((store) => ({ store, bytes: (spent.get(store)?.writtenBytes ?? 0) / checks }));
  const sum = parts.reduce((total, { bytes }) => total + bytes, 0);
  const max = wantedBytes.get(rate);
  const each = parts.map(({ store, bytes }) => `${stages[store]} ${kib(bytes)}`).join(", ");
  return [
    row(
      "P9",
      "written to disk a check",
      `${kib(sum)} (${each})`,
      max === undefined ? "–" : `≤ ${kib(max)}`,
      max !== undefined && sum <= max,
    ),
  ];
}
