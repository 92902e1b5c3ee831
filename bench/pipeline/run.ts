/**
 * Measures what one check costs in all processes together, and what all stores write for it, at 200 and at 1,000 checks
 * a second: `npm run bench:pipeline`, with `--write` into bench/results/pipeline.md; `-- 200 5 30` for 200 monitors every 5 s alone,
 * looked at for 30 s. Linux alone.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "@sonde/testing/api";
import { byMonitor, type Figure, ms, percent } from "@sonde/testing/figures";
import { barePeerMs, pacedPeerMs, times } from "../probe/peers.ts";
import { startTarget } from "@sonde/testing/recording-target/target";
import { makeMonitors } from "./monitors.ts";
import { reportFigures } from "@sonde/testing/report";
import { type Observed, observe, stores } from "./observe.ts";
import { startWhole, type WholeSonde } from "@sonde/testing/whole";

/** So many monitors every so many seconds, looked at for so long. */
type Load = { count: number; intervalSeconds: number; windowSeconds: number };
const [count, intervalSeconds = 5, windowSeconds = 90] = process.argv.slice(2).filter(Number).map(Number);
/** Each but the first adds monitors to those that are there. */
const loads: Load[] =
  count !== undefined
    ? [{ count, intervalSeconds, windowSeconds }]
    : [
        { count: 1000, intervalSeconds: 5, windowSeconds: 90 },
        { count: 5000, intervalSeconds: 5, windowSeconds: 60 },
      ];
/** What a check passes through; the rest of Sonde runs beside it. */
const stages = {
  "probe-runner": "runner",
  nats: "NATS",
  monitors: "state",
  postgres: "PostgreSQL",
  metrics: "ClickHouse",
};
const [idleSeconds, warmSeconds] = [10, 20];
/** What a check may cost, as a multiple of a bare request: what is paid by the second weighs less at a high rate. */
const wantedTimes = (rate: number) => (rate < 1000 ? 4.2 : 2);
const wantedBytes = 512;

const say = (line: string) => void process.stderr.write(`${line}\n`);
say("bare requests …");
const target = await startTarget();
const bareMs = await barePeerMs(target.ports.http);
const figures: Figure[] = [row("P2", "peer: bare `http.request` over fresh connections, CPU each", ms(bareMs))];
for (const load of loads) {
  const rate = rateOf(load);
  figures.push(row("–", `peer: the same, ${rate}/s, one at a time`, ms(await pacedPeerMs(target.ports.http, rate))));
}
const sonde = await startWhole({
  environment: { MONITOR_MIN_INTERVAL_SECONDS: "1", PROBE_MAX_PER_HOST: "2000" },
});
process.once("SIGINT", () => void sonde.close().then(() => process.exit(130)));
try {
  const { api } = await firstAdmin(sonde.url);
  const idle = await observe(sonde, idleSeconds, target.take);
  for (const [index, load] of loads.entries()) figures.push(...(await measure(load, loads[index - 1]?.count ?? 0)));

  async function measure(load: Load, there: number): Promise<Figure[]> {
    const { count, intervalSeconds, windowSeconds } = load;
    say(`making ${count - there} monitors …`);
    await makeMonitors(api, target.ports.http, { count, intervalSeconds, there });
    await sleep(Math.max(warmSeconds, intervalSeconds * 1.5) * 1000);
    let storedRows = 0;
    const busy = await observe(sonde, windowSeconds, async () => {
      const [arrivals, rows] = await Promise.all([target.take(), stored(sonde)]);
      const newRows = rows - storedRows;
      storedRows = rows;
      return { checks: arrivals.ids.length, monitors: byMonitor(arrivals).size, newRows };
    });
    const { checks, monitors, newRows } = busy.counted;
    const rate = rateOf(load);
    const whole = `${monitors} of ${count}; ${checks}; ${newRows}`;
    return [
      ...cpuFigures(busy, idle, checks, rate),
      ...diskFigures(busy, checks),
      row("–", "monitors checked; checks; rows stored meanwhile", whole),
    ].map((figure) => ({ ...figure, what: `${rate}/s: ${figure.what}` }));
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

function stored(whole: WholeSonde): Promise<number> {
  return whole.metric("metrics", "sonde_metrics_rows_total", 'stream="RESULTS"');
}

function cpuFigures({ spent }: Observed, idle: Observed, checks: number, rate: number): Figure[] {
  const perCheck = (name: string) => (spent.get(name)?.cpuMs ?? 0) / checks;
  const idleOf = (name: string) => ((idle.spent.get(name)?.cpuMs ?? 0) / idle.passedMs) * 100;
  const wanted = wantedTimes(rate);
  const names = Object.keys(stages);
  const sum = names.reduce((total, name) => total + perCheck(name), 0);
  const others = [...spent.keys()].filter((name) => !names.includes(name));
  const rest = others.reduce((total, name) => total + perCheck(name), 0);
  return [
    ...Object.entries(stages).map(([name, stage]) =>
      row(
        "P2",
        `CPU a check: ${stage} (without monitors: share of a core)`,
        `${ms(perCheck(name))} (${percent(idleOf(name))})`,
      ),
    ),
    row("P2", "CPU a check, the whole pipeline", ms(sum), "≤ 0.8 ms", sum <= 0.8),
    row("P2", "the same beside the peer", times(sum / bareMs), `≤ ${times(wanted)}`, sum <= bareMs * wanted),
    row("–", `beside it, per check: ${others.join(", ")}`, ms(rest)),
  ];
}

function diskFigures({ spent, grownBytes }: Observed, checks: number): Figure[] {
  const kib = (bytes: number) => `${(bytes / 1024).toFixed(2)} KiB`;
  const written = stores.map((store) => (spent.get(store)?.writtenBytes ?? 0) / checks);
  const sum = written.reduce((total, bytes) => total + bytes, 0);
  return [
    ...stores.map((store, index) =>
      row(
        "P9",
        `written to disk a check: ${stages[store]} (its folder grew by)`,
        `${kib(written[index]!)} (${kib(grownBytes.get(store)! / checks)})`,
      ),
    ),
    row("P9", "written to disk a check, all stores", kib(sum), `≤ ${kib(wantedBytes)}`, sum <= wantedBytes),
  ];
}
