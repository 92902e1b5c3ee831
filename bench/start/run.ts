/**
 * Measures what `npm start` costs where nothing is watched yet, and how long it takes: `npm run bench:start`. Needs Linux.
 * `npm run bench:start -- idle` measures one part alone: `idle` and `warm` (three minutes), `clone` (one, by the registry).
 */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { firstStart } from "./clone.ts";
import { byName, processesBelow } from "@sonde/testing/processes";
import { emptyDataDir, npmStart } from "@sonde/testing/npm-start";

const root = resolve(import.meta.dirname, "../..");
const [settleSeconds, measuredSeconds, warmStarts] = [60, 60, 3];
const parts = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isWanted = (part: string) => parts.length === 0 || parts.includes(part);
const figures: Figure[] = [];
let processes = "";
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

if (isWanted("idle") || isWanted("warm")) {
  const dataDir = await emptyDataDir();
  try {
    // The first start compiles all modules and makes the databases.
    await (await npmStart(root, dataDir)).stop();
    if (isWanted("warm")) await measureWarm(dataDir);
    if (isWanted("idle")) await measureIdle(dataDir);
  } finally {
    await rm(join(dataDir, ".."), { recursive: true, force: true });
  }
}
if (isWanted("clone")) await measureClone();
await reportFigures("bench/results/start", figures, "", processes);

async function measureWarm(dataDir: string): Promise<void> {
  const timesMs: number[] = [];
  for (let turn = 0; turn < warmStarts; turn++) {
    const sonde = await npmStart(root, dataDir);
    timesMs.push(sonde.readyMs);
    await sonde.stop();
  }
  const medianMs = timesMs.sort((one, other) => one - other)[Math.floor(warmStarts / 2)] ?? Number.NaN;
  figures.push({
    goal: "S3",
    what: `warm \`npm start\` until it is ready, median of ${warmStarts}`,
    wanted: "≤ 3 s",
    measured: `${seconds(medianMs)} (${timesMs.map(seconds).join(", ")})`,
    held: medianMs <= 3_000,
  });
}

async function measureIdle(dataDir: string): Promise<void> {
  const sonde = await npmStart(root, dataDir);
  await sleep(settleSeconds * 1_000);
  const before = new Map((await processesBelow(sonde.pid)).map(({ pid, cpuMs }) => [pid, cpuMs]));
  await sleep(measuredSeconds * 1_000);
  const after = await processesBelow(sonde.pid);
  await sonde.stop();

  const used = ({ pid, cpuMs }: { pid: number; cpuMs: number }) => cpuMs - (before.get(pid) ?? 0);
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  const share = (ms: number) => ms / (measuredSeconds * 10);
  const rows = [...byName(after)].map(([name, own]) => {
    const [pss, anonymous] = [sum(own.map((each) => each.pssMib)), sum(own.map((each) => each.anonymousMib))];
    return `| ${name} | ${own.length} | ${pss.toFixed(1)} | ${anonymous.toFixed(1)} | ${share(sum(own.map(used))).toFixed(2)} |`;
  });
  processes = [
    "| process | of them | PSS, MiB | of it anonymous | CPU, % of a core |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  const [pssMib, cpu] = [sum(after.map((each) => each.pssMib)), share(sum(after.map(used)))];
  figures.push({
    goal: "S1",
    what: "idle `npm start`: memory of all its processes (PSS), npm among them",
    wanted: "≤ 400 MiB",
    measured: `${pssMib.toFixed(0)} MiB`,
    held: pssMib <= 400,
  });
  figures.push({
    goal: "S2",
    what: `the same: CPU of a core over ${measuredSeconds} s`,
    wanted: "≤ 2 %",
    measured: `${cpu.toFixed(2)} %`,
    held: cpu <= 2,
  });
}

async function measureClone(): Promise<void> {
  const { readyMs, installedMs, builtMs, cachedMib, downloadMs } = await firstStart();
  figures.push({
    goal: "S4",
    what: "`npm start` in a clean clone with an empty npm cache until it is ready",
    wanted: "≤ 40 s",
    measured: `${seconds(readyMs)} (install ${seconds(installedMs)}, web app ${seconds(builtMs - installedMs)}, start ${seconds(readyMs - builtMs)})`,
    held: readyMs <= 40_000,
  });
  figures.push({
    goal: "S4",
    what: `npm's bare download of the same packages, ${cachedMib.toFixed(0)} MiB`,
    wanted: "–",
    measured: seconds(downloadMs),
    held: true,
  });
}
