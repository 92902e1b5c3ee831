import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@sonde/embedded/free-port";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { emptyDataDir } from "@sonde/testing/npm-start";
import { processesBelow } from "@sonde/testing/processes";
import type { Figure } from "@sonde/testing/figures";
import { programs } from "../../deploy/docker/src/programs.ts";
import { writeProgram } from "../../deploy/docker/src/write-program.ts";

const root = resolve(import.meta.dirname, "../..");
const [settleSeconds, maxMib] = [120, 450];

/** M3: the all-in-one image's program on its second start, launched like the image but without a container. */
export async function idleImage(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-image-"));
  const dataDir = await emptyDataDir();
  try {
    await writeProgram("all-in-one", programs.get("all-in-one")!, folder);
    await (await start(folder, dataDir)).stop();
    const sonde = await start(folder, dataDir);
    await sleep(settleSeconds * 1_000);
    const processes = await processesBelow(sonde.pid);
    await sonde.stop();
    const sum = (field: "pssMib" | "anonymousMib") => processes.reduce((total, each) => total + each[field], 0);
    return {
      goal: "M3",
      what: `all-in-one as its image starts it, idle after ${settleSeconds} s: PSS of all processes`,
      wanted: `≤ ${maxMib} MiB`,
      measured: `${sum("pssMib").toFixed(0)} MiB (${sum("anonymousMib").toFixed(0)} anonymous)`,
      held: sum("pssMib") <= maxMib,
    };
  } finally {
    for (const left of [folder, join(dataDir, "..")]) await rm(left, { recursive: true, force: true });
  }
}

/** Sets the same variables as deploy/docker/Dockerfile. */
async function start(folder: string, dataDir: string): Promise<{ pid: number; stop(): Promise<void> }> {
  const child = spawn(join(folder, "run"), {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), dirname(await findNatsServer()), process.env.PATH].join(delimiter),
      NODE_ENV: "production",
      PORT: String(await freePort()),
      SONDE_DATA_DIR: dataDir,
      WEB_DIST: join(root, "deploy/local/dist/web/current"),
      DOCS_DIST: join(root, "deploy/local/dist/docs/current"),
      AGENT_DOWNLOAD_DIR: join(dataDir, "../no-agents"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const ready = new Promise<void>((resolve) =>
    createInterface({ input: child.stdout }).on("line", (line) => line.startsWith("Sonde is ready") && resolve()),
  );
  const ended = exited.then(() => {
    throw new Error("all-in-one ended before it was ready");
  });
  await Promise.race([ready, ended]);
  ended.catch(() => {});
  return {
    pid: child.pid!,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
