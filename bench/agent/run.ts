/**
 * Measures the agent's executable on loopback over TLS and prints each figure beside its goal: `npm run bench:agent`,
 * with `--write` into bench/results/agent.md. Linux alone. Takes about eight minutes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { reportFigures } from "../pipeline/report.ts";
import type { Figure } from "../probe/figures.ts";
import { run, startServer, usageOf } from "./process.ts";

const root = join(import.meta.dirname, "../..");
const platform = `linux-${process.arch}`;
const executable = join(root, `agent/dist/${platform}/sonde-agent`);
const archive = join(root, `agent/dist/sonde-agent-${platform}.tar.xz`);
if (!existsSync(executable) || !existsSync(archive)) throw new Error("Run `npm run build:agent` first");
const [slowCycles, fastCycles, fastSeconds] = [18, 2000, 0.1];
const mebibyte = 1024 * 1024;

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-agent-"));
const { key, cert } = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 86_400_000) });
const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
await writeFile(keyFile, key);
await writeFile(certFile, cert);
const server = await startServer(keyFile, certFile);
const env = { ...process.env, SONDE_AGENT_DIR: join(folder, "agent") };
// Pages of the executable that lie in the cache since it was built are mapped along with each that is touched, which
// shows tens of MB too much; a server that has run for a day has dropped them.
await run("dd", [`if=${executable}`, "iflag=nocache", "count=0"]);

/** Lets an agent report `cycles` times and returns what it used from the second report on. */
async function measure(intervalSeconds: number, cycles: number) {
  const before = await server.counted();
  const agent = spawn(executable, ["run"], {
    env: { ...env, SONDE_AGENT_INTERVAL: String(intervalSeconds) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const pid = agent.pid!;
  const reached = async (count: number) => {
    let most = 0;
    for (;;) {
      most = Math.max(most, (await usageOf(pid)).processes);
      if ((await server.counted()).reports - before.reports >= count) return most;
      await sleep(Math.min(500, intervalSeconds * 500));
    }
  };
  await reached(2);
  // Away from the moment of a report, so that whole cycles are counted.
  await sleep(intervalSeconds * 500);
  const [start, startMs, counted] = [await usageOf(pid), performance.now(), await server.counted()];
  const processes = await reached(counted.reports - before.reports + cycles);
  await sleep(intervalSeconds * 500);
  const [end, endMs, last] = [await usageOf(pid), performance.now(), await server.counted()];
  agent.kill("SIGTERM");
  await once(agent, "exit");
  return {
    cpuPercent: ((end.cpuMs - start.cpuMs) / (endMs - startMs)) * 100,
    cpuMsPerCycle: (end.cpuMs - start.cpuMs) / (last.reports - counted.reports),
    bytesPerReport: (last.bytes - counted.bytes) / (last.reports - counted.reports),
    connections: last.connections - before.connections,
    processes,
    end,
  };
}

try {
  const registration = run(executable, ["register", "--server", server.url, "--ca-file", certFile], { env });
  registration.child.stdin?.end("token\n");
  await registration;
  const slow = await measure(10, slowCycles);
  const fast = await measure(fastSeconds, fastCycles);
  const downloadBytes = (await stat(archive)).size;
  const mib = (bytes: number) => `${(bytes / mebibyte).toFixed(1)} MiB`;
  const figure = (goal: string, what: string, wanted: string, measured: string, held: boolean): Figure => ({
    goal,
    what,
    wanted,
    measured,
    held,
  });
  const figures = [
    figure(
      "A1",
      `CPU of a core, a report each 10 s over ${slowCycles} reports`,
      "≤ 0.1 %",
      `${slow.cpuPercent.toFixed(3)} % (${slow.cpuMsPerCycle.toFixed(1)} ms a report)`,
      slow.cpuPercent <= 0.1,
    ),
    figure(
      "A2",
      `anonymous memory after ${fastCycles} reports`,
      "≤ 14 MiB",
      mib(fast.end.anonymousBytes),
      fast.end.anonymousBytes <= 14 * mebibyte,
    ),
    figure(
      "A3",
      `resident memory after ${fastCycles} reports`,
      "≤ 50 MiB",
      mib(fast.end.rssBytes),
      fast.end.rssBytes <= 50 * mebibyte,
    ),
    figure(
      "A4",
      "processes started",
      "0",
      String(Math.max(slow.processes, fast.processes)),
      slow.processes + fast.processes === 0,
    ),
    figure("A5", "download", "≤ 28 MiB", mib(downloadBytes), downloadBytes <= 28 * mebibyte),
  ];
  const more = `Each report had ${Math.round(slow.bytesPerReport)} bytes; ${slow.connections} connection(s) served ${slowCycles + 2} of them. Every 0.1 s a report took ${fast.cpuMsPerCycle.toFixed(1)} ms of CPU.`;
  await reportFigures("agent", figures, "", more);
} finally {
  server.stop();
  await rm(folder, { recursive: true, force: true });
}
