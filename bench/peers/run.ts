/**
 * Sonde beside Prometheus with the blackbox_exporter, turn by turn against the same loopback target: `npm run bench:peers`,
 * with `--write` into bench/results/peers.md, `-- quick` for a short run. `-- rates` measures Sonde by `npm start` and its
 * peers at 25, 50, 200 and 1,000 checks a second instead (or those that are named: `-- rates 25 50`), with Uptime Kuma where
 * KUMA_DIR names a folder with its source. Linux and Debian alone.
 */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { machine, writeReport } from "@sonde/testing/report";
import { ms } from "@sonde/testing/figures";
import { barePeerMs } from "../probe/peers.ts";
import { startTarget } from "@sonde/testing/recording-target/target";
import { besidePeers, comparison, measure, type Measured } from "./compare.ts";
import { debianProgram } from "./debian.ts";
import { prometheus } from "./prometheus.ts";
import { kumaOf } from "./kuma.ts";
import { runnerAlone, startedSonde, wholeSonde } from "./sonde.ts";
import type { Load, System } from "./system.ts";

const isQuick = process.argv.includes("quick");
const isByRate = process.argv.includes("rates");
const counts = isQuick ? [1000] : [1000, 5000];
const everySeconds = isQuick ? 5 : 15;
/** Checks a second, and every how many seconds; the shortest interval of Uptime Kuma is 20 s. */
const rates = new Map([
  [25, 20],
  [50, 20],
  [200, 20],
  [1000, 5],
]);
const kumaMost = 200;
const kuma = isByRate && process.env.KUMA_DIR ? await kumaOf(resolve(process.env.KUMA_DIR)) : null;
const systems: readonly System[] = isByRate
  ? [startedSonde, ...(kuma === null ? [] : [kuma]), prometheus]
  : [runnerAlone, wholeSonde, prometheus];
const named = process.argv.map(Number).filter((rate) => rates.has(rate));
const loads = isByRate
  ? [...rates].flatMap(([rate, intervalSeconds]) =>
      named.length > 0 && !named.includes(rate)
        ? []
        : [
            {
              title: `${rate}/s (${rate * intervalSeconds} monitors)`,
              rate,
              count: rate * intervalSeconds,
              intervalSeconds,
            },
          ],
    )
  : counts.map((count) => ({ title: `${count} monitors`, rate: 0, count, intervalSeconds: everySeconds }));

const say = (line: string) => void process.stderr.write(`${line}\n`);
for (const name of ["prometheus", "prometheus-blackbox-exporter"]) {
  await debianProgram(name).catch((fault: Error) => {
    say(fault.message);
    process.exit(1);
  });
}

say("bare requests …");
const target = await startTarget();
const bareMs = await barePeerMs(target.ports.http);
const rows: string[] = [];
const names = systems.flatMap((system) => Object.keys(system.columns));
for (const { title, rate, ...load } of loads) {
  const columns = new Map<string, Measured>();
  for (const system of systems) {
    if (system === kuma && rate > kumaMost) continue;
    say(`${title}: ${Object.keys(system.columns).join(", ")} …`);
    for (const [column, measured] of await turn(system, load)) columns.set(column, measured);
  }
  rows.push(...(isByRate ? besidePeers(title, columns, names) : comparison(title, columns)));
}
await target.close();

const columns = systems.flatMap((system) => Object.entries(system.columns));
const heads = [
  "load",
  "what",
  ...columns.map(([name]) => name),
  isByRate ? "is a peer better?" : "is the peer better?",
];
const every = `${isByRate ? "every 20 s (1,000/s: every 5 s)" : `every ${everySeconds} s`}, four intervals long after two to settle, one system after the other`;
await writeReport(
  isByRate ? "bench/results/rates" : "bench/results/peers",
  `${machine()}; ${every}; a bare \`http.request\` takes ${ms(bareMs)}

| ${heads.join(" | ")} |
| ${heads.map(() => "---").join(" | ")} |
${rows.join("\n")}

Counted are: ${columns.map(([name, what]) => `for ${name}, ${what}`).join("; ")}.
`,
);
process.exit(0);

/** Lets one system check the target: its columns, after it has settled. */
async function turn(system: System, given: Omit<Load, "port">): Promise<Map<string, Measured>> {
  const load = { port: target.ports.http, ...given };
  const running = await system.start(load);
  try {
    await sleep(2 * load.intervalSeconds * 1000);
    await target.take();
    const observed = await running.observe(4 * load.intervalSeconds + 1, target.take);
    return new Map([...observed.spent].map(([column, used]) => [column, measure(used, observed, load, bareMs)]));
  } finally {
    await running.stop();
    await target.take();
  }
}
