import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** A separate disk, removed with the process: only where this user may make one (root on Linux). */
const onSmallDisk = (folder: string, command: string) => [
  "--mount",
  "sh",
  "-c",
  `mount -t tmpfs -o size=40m none ${folder} && exec ${command}`,
];
const mayMount = spawnSync("unshare", onSmallDisk("/mnt", "true")).status === 0;

it.runIf(mayMount)(
  "goes on by itself after its disk was full, and has all that it acknowledged",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sonde-full-"));
    const program = join(import.meta.dirname, "../testing/full-disk.ts");
    const run = promisify(execFile)("unshare", onSmallDisk(folder, `${process.execPath} ${program} ${folder}`));
    const { acknowledged, messages, told } = JSON.parse((await run).stdout) as {
      acknowledged: number;
      messages: number;
      told: string[];
    };
    await rm(folder, { recursive: true });

    expect(acknowledged).toBeGreaterThan(10);
    expect(messages).toBeGreaterThanOrEqual(acknowledged);
    expect(told.filter((line) => line.includes("No space left"))).toEqual([
      `No space left on the disk of ${folder}/nats (0 MiB are free). Nothing can be stored until space is freed.`,
    ]);
    expect(told.some((line) => line.startsWith("Space is available again"))).toBe(true);
    expect(told.some((line) => line.startsWith("NATS ended; restarting"))).toBe(true);
  },
  120_000,
);
