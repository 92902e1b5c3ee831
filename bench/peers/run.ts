/**
 * Sonde beside Prometheus with the blackbox_exporter, turn by turn against the same loopback target: `npm run bench:peers`,
 * with `--write` into bench/results/peers.md, `-- quick` for a short run. Linux and Debian alone.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { machine, writeReport } from "../pipeline/report.ts";
import { ms } from "../probe/figures.ts";
import { barePeerMs } from "../probe/peers.ts";
import { startTarget } from "../probe/target-client.ts";
import { comparison, measure, type Measured } from "./compare.ts";
import { debianProgram } from "./debian.ts";
import { prometheus } from "./prometheus.ts";
import { runnerAlone, wholeSonde } from "./sonde.ts";
import type { System } from "./system.ts";

const isQuick = process.argv.includes("quick");
const counts = isQuick ? [1000] : [1000, 5000];
const intervalSeconds = isQuick ? 5 : 15;
const [settleSeconds, observedSeconds] = [2 * intervalSeconds, 4 * intervalSeconds + 1];
const systems: readonly System[] = [runnerAlone, wholeSonde, prometheus];

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
for (const count of counts) {
  const columns = new Map<string, Measured>();
  for (const system of systems) {
    say(`${count} monitors: ${Object.keys(system.columns).join(", ")} …`);
    for (const [column, measured] of await turn(system, count)) columns.set(column, measured);
  }
  rows.push(...comparison(`${count} monitors`, columns));
}
await target.close();

const columns = systems.flatMap((system) => Object.entries(system.columns));
const heads = ["load", "what", ...columns.map(([name]) => name), "is the peer better?"];
const every = `every ${intervalSeconds} s, ${observedSeconds} s long after ${settleSeconds} s, one system after the other`;
await writeReport(
  "peers",
  `${machine()}; ${every}; a bare \`http.request\` takes ${ms(bareMs)}

| ${heads.join(" | ")} |
| ${heads.map(() => "---").join(" | ")} |
${rows.join("\n")}

Counted are: ${columns.map(([name, what]) => `for ${name}, ${what}`).join("; ")}.
`,
);
process.exit(0);

/** Lets one system check the target: its columns, after it has settled. */
async function turn(system: System, count: number): Promise<Map<string, Measured>> {
  const load = { port: target.ports.http, count, intervalSeconds };
  const running = await system.start(load);
  try {
    await sleep(settleSeconds * 1000);
    const observed = await running.observe(observedSeconds, target.take);
    return new Map([...observed.spent].map(([column, used]) => [column, measure(used, observed, load, bareMs)]));
  } finally {
    await running.stop();
    await target.take();
  }
}
