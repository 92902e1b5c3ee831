import { isAlive } from "@sonde/embedded/process-identity";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { cloneDir } from "../clone.ts";

const program = join(cloneDir, "deploy/local/src/main.ts");
let folder: string;
let archive: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-killed-restore-"));
  await chmod(folder, 0o711); // When tests run as root, PostgreSQL runs as another user, which needs access.
  archive = join(folder, "sonde.tar");
  await writeFile(archive, gunzipSync(await readFile(join(cloneDir, "e2e/fixtures/backup.tar.gz"))));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["SIGKILL", "SIGINT"] as const)(
  "a restore that was ended by %s leaves no installation and can be repeated",
  async (signal) => {
    const dataDir = join(folder, signal);
    const env = { PATH: process.env["PATH"], SONDE_DATA_DIR: dataDir };
    const child = spawn(process.execPath, [program, "restore", archive], { env, stdio: "ignore" });
    const exited = once(child, "exit");
    const postmaster = join(dataDir, "restoring/postgres/cluster/postmaster.pid");
    const pid = await vi.waitFor(async () => Number.parseInt(await readFile(postmaster, "utf8")), {
      timeout: 60_000,
      interval: 20,
    });
    child.kill(signal);
    await exited;
    expect(await readdir(dataDir)).not.toContain("postgres");
    if (signal === "SIGINT") await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000 });

    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, "restore", archive], { env });
    expect(stdout + stderr).toContain("matching the backup");
    expect(isAlive(pid)).toBe(false);
    expect(await readdir(dataDir)).toEqual(expect.not.arrayContaining(["restoring"]));
  },
  120_000,
);
