/**
 * Measures what pings of heartbeats cost the gateway, whether one that was acknowledged is ever lost, and how soon a missed one is
 * known: `npm run bench:heartbeats`, with `--write` into bench/results/heartbeats.md; `-- smoke` takes seconds, and shows that it runs;
 * `-- costs`, `losses` or `missed` is one part.
 */
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { cpuFigure, lossFigures, startPinged } from "./gateways.ts";
import { missedFigures } from "./missed.ts";

const isSmoke = process.argv.includes("smoke");
const say = (line: string) => void process.stderr.write(`${line}\n`);

const size = isSmoke
  ? {
      heartbeats: 2_000,
      cpuMs: 3_000,
      rate: 1_000,
      lossMs: 9_000,
      kills: 2,
      missed: { heartbeats: 200, quiet: 10, idleMs: 2_000 },
    }
  : {
      heartbeats: 100_000,
      cpuMs: 20_000,
      rate: 10_000,
      lossMs: 300_000,
      kills: 40,
      missed: { heartbeats: 100_000, quiet: 200, idleMs: 60_000 },
    };

const parts = ["costs", "losses", "missed"].filter((part) => process.argv.includes(part));
const runs = (part: string) => parts.length === 0 || parts.includes(part);
const figures: Figure[] = [];
const add = (measured: readonly Figure[]) => {
  figures.push(...measured);
  for (const { what, wanted, measured: is } of measured) say(`${what}: ${is} (${wanted})`);
};

if (runs("costs") || runs("losses")) {
  say(`making ${size.heartbeats} addresses …`);
  const pinged = await startPinged(size.heartbeats);
  if (runs("costs")) {
    say("what a ping costs …");
    add([await cpuFigure(pinged, { kind: "kept", rate: isSmoke ? 500 : 5_000, durationMs: size.cpuMs })]);
    add([await cpuFigure(pinged, { kind: "fresh", rate: isSmoke ? 200 : 2_000, durationMs: size.cpuMs })]);
  }
  if (runs("losses")) {
    say(`two gateways, ${size.kills} kills …`);
    add(await lossFigures(pinged, { rate: size.rate, durationMs: size.lossMs, kills: size.kills }));
  }
  await pinged.stop();
}
if (runs("missed")) {
  say(`${size.missed.heartbeats} heartbeats that wait …`);
  add(await missedFigures(size.missed));
}
await reportFigures("bench/results/heartbeats", figures);
process.exit(0);
