/**
 * Measures an idle `npm start` and the time of a start: `npm run bench -- start`. `--write` updates
 * bench/results/start.md. Needs Linux. `idle`, `image` and `warm` take five minutes, `clone` one.
 */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { firstStart } from "./clone.ts";
import { idleImage } from "./image.ts";
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
    // Compiles all modules and creates the databases.
    const first = await npmStart(root, dataDir);
    await first.stop();
    addStart("installed, empty data directory", first.readyMs, 4);
    if (isWanted("warm")) await measureWarm(dataDir);
    if (isWanted("idle")) await measureIdle(dataDir);
  } finally {
    await rm(join(dataDir, ".."), { recursive: true, force: true });
  }
}
if (isWanted("image")) figures.push(await idleImage());
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
  addStart(`warm, median of ${warmStarts}`, medianMs, 2, timesMs.map(seconds).join(", "));
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
  const [anonymousMib, pssMib, cpu] = [
    sum(after.map((each) => each.anonymousMib)),
    sum(after.map((each) => each.pssMib)),
    share(sum(after.map(used))),
  ];
  figures.push(
    {
      goal: "M1",
      what: "idle: anonymous memory of all processes, npm included",
      wanted: "≤ 240 MiB",
      measured: `${anonymousMib.toFixed(0)} MiB`,
      held: anonymousMib <= 240,
    },
    {
      goal: "M2",
      what: "idle: PSS of all processes, npm included",
      wanted: "≤ 470 MiB",
      measured: `${pssMib.toFixed(0)} MiB`,
      held: pssMib <= 470,
    },
    {
      goal: "C2",
      what: `idle: share of a core over ${measuredSeconds} s`,
      wanted: "≤ 1 %",
      measured: `${cpu.toFixed(2)} %`,
      held: cpu <= 1,
    },
  );
}

async function measureClone(): Promise<void> {
  const { readyMs, installedMs, builtMs, cachedMib, downloadMs } = await firstStart();
  const parts = `install ${seconds(installedMs)}, web app ${seconds(builtMs - installedMs)}, start ${seconds(readyMs - builtMs)}`;
  const download = `npm's bare download of the same ${cachedMib.toFixed(0)} MiB ${seconds(downloadMs)}`;
  addStart("clean clone, empty npm cache", readyMs, 40, `${parts}; ${download}`);
}

function addStart(what: string, readyMs: number, maxSeconds: number, more = ""): void {
  figures.push({
    goal: "S",
    what: `\`npm start\` until it is ready: ${what}`,
    wanted: `≤ ${maxSeconds} s`,
    measured: `${seconds(readyMs)}${more === "" ? "" : ` (${more})`}`,
    held: readyMs <= maxSeconds * 1_000,
  });
}
