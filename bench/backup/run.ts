/**
 * Measures a backup of an `npm start` that watches, and its restore: `npm run bench:backup`. Needs Linux. With `-- --monitors 50
 * --days 3` it is small; as it is, 1,000 monitors each minute with 30 days of history, it takes a quarter of an hour.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { type Api, firstAdmin } from "../../e2e/support/api.ts";
import { startTarget } from "../../e2e/support/target.ts";
import { reportFigures } from "../pipeline/report.ts";
import { type Figure, ms, percentile } from "../probe/figures.ts";
import { processesBelow } from "../start/processes.ts";
import { emptyDataDir, npmStart } from "../start/sonde.ts";
import { fillHistory } from "./history.ts";

const { values } = parseArgs({
  options: {
    monitors: { type: "string", default: "1000" },
    days: { type: "string", default: "30" },
    /** Seconds that are quiet before the backup, twice. */
    quiet: { type: "string", default: "60" },
    write: { type: "boolean", default: false },
  },
});
const [monitors, days] = [Number(values.monitors), Number(values.days)];
const root = resolve(import.meta.dirname, "../..");
const what = `${monitors} monitors each minute with ${days} days of history`;
const restMs = Number(values.quiet) * 1_000;
const say = (line: string) => process.stderr.write(`${line}\n`);

const dataDir = await emptyDataDir();
const restoredDir = join(dataDir, "../restored");
const archive = join(dataDir, "../sonde.tar");
const target = await startTarget();
const figures: Figure[] = [];
try {
  await (await npmStart(root, dataDir)).stop();
  say(`filling ${days} days`);
  await fillHistory(dataDir, monitors, days);
  const sonde = await npmStart(root, dataDir);
  try {
    const { api } = await firstAdmin(sonde.url);
    await addMonitors(api);
    await measureBackup(api, sonde.pid);
  } finally {
    await sonde.stop();
  }
  await measureRestore();
} finally {
  await target.stop();
  await rm(join(dataDir, ".."), { recursive: true, force: true });
}
await reportFigures("backup", figures, what);
process.exit(0);

async function addMonitors(api: Api): Promise<void> {
  say(`adding ${monitors} monitors`);
  for (let n = 1; n <= monitors; n++) {
    await api.send("POST", "/api/monitors", { name: `Monitor ${n}`, url: `${target.url}?${n}`, interval: 1 });
  }
  const up = async () => (await api.get<{ monitors: { up: number } }>("/api/dashboard")).monitors.up;
  while ((await up()) < monitors) await sleep(1_000);
}

/** What the processes of Sonde use by themselves, and what they and the backup use together. */
async function measureBackup(api: Api, pid: number): Promise<void> {
  await sleep(restMs);
  const used = async () => (await processesBelow(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const restFrom = Date.now();
  const restBefore = await used();
  await sleep(restMs);
  const restShare = ((await used()) - restBefore) / (Date.now() - restFrom);

  say("backing up");
  const [from, before] = [Date.now(), await used()];
  const { ownMs, wallMs } = await word(dataDir, "backup", archive, "--with-key");
  const until = Date.now();
  const cores = (ownMs + (await used()) - before) / wallMs - restShare;
  await sleep(5_000); // The last checks of that time are stored.
  const [during, atRest] = [await latenessBetween(api, from, until), await latenessBetween(api, restFrom, from)];
  const late = during.filter((lateness) => lateness > 1_000).length;
  const { size } = await stat(archive);
  figures.push(
    {
      goal: "B1",
      what: `a backup beside them; the archive has ${(size / 1e6).toFixed(0)} MB`,
      wanted: "≤ 60 s",
      measured: `${(wallMs / 1000).toFixed(1)} s`,
      held: wallMs <= 60_000,
    },
    {
      goal: "B2",
      what: "processors that it takes on average, in all processes together",
      wanted: "≤ 1",
      measured: cores.toFixed(2),
      held: cores <= 1,
    },
    {
      goal: "B3",
      what: "checks of that time that began more than a second after their slot; p99 and most of how late they began",
      wanted: "0",
      measured: `${late} of ${during.length}; ${worst(during)} (at rest ${worst(atRest)})`,
      held: late === 0 && during.length > 0,
    },
  );
}

function worst(lateness: readonly number[]): string {
  const sorted = Float64Array.from(lateness);
  return `${ms(percentile(sorted, 0.99))}, ${ms(sorted.at(-1) ?? Number.NaN)}`;
}

async function latenessBetween(api: Api, fromMs: number, untilMs: number): Promise<number[]> {
  const found: number[] = [];
  const { monitors: list } = await api.get<{ monitors: { id: number }[] }>("/api/monitors?pageSize=200");
  const first = Math.min(...list.map(({ id }) => id));
  for (let id = first; id < first + monitors; id++) {
    const { checks } = await api.get<{ checks: CheckResult[] }>(`/api/monitors/${id}/checks?limit=10`);
    const within = checks.filter(({ slot }) => Date.parse(slot) >= fromMs && Date.parse(slot) < untilMs);
    found.push(...within.map(({ lateness }) => lateness));
  }
  return found;
}

async function measureRestore(): Promise<void> {
  say("restoring");
  const { wallMs, ownMs } = await word(restoredDir, "restore", archive);
  figures.push({
    goal: "B4",
    what: "its restore into an empty data directory, its count included",
    wanted: "≤ 120 s",
    measured: `${(wallMs / 1000).toFixed(1)} s (${(ownMs / 1000).toFixed(1)} s of processor time without PostgreSQL)`,
    held: wallMs <= 120_000,
  });
}

/** Runs a word of `npm start`; its processor time is as it was seen last. */
async function word(folder: string, ...words: string[]): Promise<{ wallMs: number; ownMs: number }> {
  const began = performance.now();
  const child: ChildProcess = spawn("sh", ["deploy/local/start", ...words], {
    cwd: root,
    env: { ...process.env, SONDE_DATA_DIR: folder },
    stdio: "inherit",
  });
  let ownMs = 0;
  const look = setInterval(() => {
    void processesBelow(child.pid ?? 0).then((found) => {
      ownMs = Math.max(
        ownMs,
        found.filter(({ name }) => name !== "PostgreSQL").reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      );
    });
  }, 200);
  const [code] = (await once(child, "exit")) as [number];
  clearInterval(look);
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}`);
  return { wallMs: performance.now() - began, ownMs };
}
