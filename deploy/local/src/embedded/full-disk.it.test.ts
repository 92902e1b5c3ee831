import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Mounts a separate disk, which disappears with the process. Only root on Linux may do that. */
const onSmallDisk = (folder: string, command: string) => [
  "--mount",
  "sh",
  "-c",
  `mount -t tmpfs -o size=40m none ${folder} && exec ${command}`,
];
const mayMount = spawnSync("unshare", onSmallDisk("/mnt", "true")).status === 0;

it.runIf(mayMount)(
  "NATS recovers from a full disk and keeps all acknowledged messages",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sonde-full-"));
    const program = join(import.meta.dirname, "../testing/full-disk.ts");
    const run = promisify(execFile)("unshare", onSmallDisk(folder, `${process.execPath} ${program} ${folder}`));
    const { acknowledged, messages, lines } = JSON.parse((await run).stdout) as {
      acknowledged: number;
      messages: number;
      lines: string[];
    };
    await rm(folder, { recursive: true });

    expect(acknowledged).toBeGreaterThan(10);
    expect(messages).toBeGreaterThanOrEqual(acknowledged);
    expect(lines.filter((line) => line.includes("No space left"))).toEqual([
      `No space left on the disk of ${folder}/nats (0 MiB are free). Nothing can be stored until space is freed.`,
    ]);
    expect(lines.some((line) => line.startsWith("Space is available again"))).toBe(true);
    expect(lines.some((line) => line.startsWith("NATS ended; restarting"))).toBe(true);
  },
  120_000,
);
