/**
 * Compares Sonde (`npm start`), Prometheus with blackbox_exporter, and Uptime Kuma, one after the other, on the same
 * loopback target at 25 and 50 checks a second: `npm run bench -- peers`.
 * `--write` updates bench/results/peers.md; `-- 25` measures one rate. Uptime Kuma needs KUMA_DIR, a folder with its
 * source. Linux and Debian only.
 */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { machine, writeReport } from "@sonde/testing/report";
import { ms } from "@sonde/testing/figures";
import { barePeerMs } from "../probe/peers.ts";
import { startRecordingTarget } from "@sonde/testing/recording-target/target";
import { comparison, measure, type Measured } from "./compare.ts";
import { debianProgram } from "./debian.ts";
import { prometheus } from "./prometheus.ts";
import { kumaOf } from "./kuma.ts";
import { startedSonde } from "./sonde.ts";
import { type Load, observe, type System } from "./system.ts";

/** Uptime Kuma's minimum interval. */
const intervalSeconds = 20;
const rates = [25, 50];
const named = process.argv.map(Number).filter((rate) => rates.includes(rate));
const kuma = process.env.KUMA_DIR ? await kumaOf(resolve(process.env.KUMA_DIR)) : null;
const systems: readonly System[] = [startedSonde, ...(kuma === null ? [] : [kuma]), prometheus];
const loads = (named.length > 0 ? named : rates).map((rate) => ({
  title: `${rate}/s (${rate * intervalSeconds} monitors)`,
  count: rate * intervalSeconds,
  intervalSeconds,
}));

const say = (line: string) => void process.stderr.write(`${line}\n`);
for (const name of ["prometheus", "prometheus-blackbox-exporter"]) {
  await debianProgram(name).catch((fault: Error) => {
    say(fault.message);
    process.exit(1);
  });
}

say("bare requests …");
const target = await startRecordingTarget();
const bareMs = await barePeerMs(target.ports.http);
const rows: string[] = [];
for (const { title, ...load } of loads) {
  const columns = new Map<string, Measured>();
  for (const system of systems) {
    say(`${title}: ${system.name} …`);
    columns.set(system.name, await turn(system, load));
  }
  rows.push(...comparison(title, columns));
}
await target.close();

const heads = ["load", "what", ...systems.map(({ name }) => name), "is a peer better?"];
await writeReport(
  "bench/results/peers",
  `${machine()}; every ${intervalSeconds} s, four intervals long after two to settle; a bare \`http.request\` takes ${ms(bareMs)}

| ${heads.join(" | ")} |
| ${heads.map(() => "---").join(" | ")} |
${rows.join("\n")}

Counted are: ${systems.map(({ name, counts }) => `for ${name}, ${counts}`).join("; ")}.
`,
);
process.exit(0);

/** Runs one system against the target, and measures after it has settled. */
async function turn(system: System, given: Omit<Load, "port">): Promise<Measured> {
  const load = { port: target.ports.http, ...given };
  const running = await system.start(load);
  try {
    await sleep(2 * load.intervalSeconds * 1000);
    await target.take();
    const observed = await observe(running.pids, 4 * load.intervalSeconds + 1, target.take);
    return measure(observed, load, bareMs);
  } finally {
    await running.stop();
    await target.take();
  }
}
