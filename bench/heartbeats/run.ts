/**
 * Measures the gateway's cost of a ping: `npm run bench -- heartbeats`. `--write` updates bench/results/heartbeats.md;
 * `-- smoke` runs for seconds, to check the benchmark.
 */
import { reportFigures } from "@sonde/testing/report";
import { cpuFigure, startPinged } from "./gateways.ts";

const isSmoke = process.argv.includes("smoke");
const heartbeats = isSmoke ? 2_000 : 100_000;
const durationMs = isSmoke ? 3_000 : 20_000;

process.stderr.write(`making ${heartbeats} addresses …\n`);
const pinged = await startPinged(heartbeats);
const figures = [
  await cpuFigure(pinged, { kind: "kept", rate: isSmoke ? 500 : 5_000, durationMs }),
  await cpuFigure(pinged, { kind: "fresh", rate: isSmoke ? 200 : 2_000, durationMs }),
];
await pinged.stop();
await reportFigures("bench/results/heartbeats", figures);
process.exit(0);
