import { isAlive } from "@sonde/embedded/process-identity";
import { StartupError } from "@sonde/kit/service/startup-error";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { launchStartup } from "./process.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "sonde-startup-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void vi.unstubAllEnvs());

test("reads the configuration and its warnings, then ends", async () => {
  vi.stubEnv("PORT", "8123");
  vi.stubEnv("SONDE_DATADIR", "x");
  const startup = launchStartup();
  const { config, warnings } = await startup.readConfig();
  startup.end();

  expect(config).toMatchObject({ PORT: 8123, HOST: "127.0.0.1", natsUrls: {} });
  expect(warnings).toContain("Unknown variable SONDE_DATADIR. Did you mean SONDE_DATA_DIR?");
});

test("reports errors that a user can fix without a stack", async () => {
  vi.stubEnv("PORT", "none");
  const startup = launchStartup();
  await expect(startup.readConfig()).rejects.toThrow(
    new StartupError("The configuration is not valid.\n  PORT: must be a port"),
  );
  await expect(startup.openRoles("postgres://127.0.0.1:1/none")).rejects.toThrow(/^connect ECONNREFUSED 127.0.0.1:1$/);
  startup.end();
});

const program = async (source: string) => {
  const file = join(folder, "program.mjs");
  await writeFile(file, source);
  return file;
};

test("reports that the process exited", async () => {
  const startup = launchStartup(await program(`process.on("message", () => process.exit(3));`));
  await expect(startup.readConfig()).rejects.toThrow("The process that prepares the start exited (code 3).");
  await expect(startup.readConfig()).rejects.toThrow(/channel/i);
  startup.end();
});

test("ends the process, even during a task", async () => {
  const pidFile = join(folder, "pid");
  const real = JSON.stringify(join(import.meta.dirname, "child.ts"));
  const startup = launchStartup(
    await program(
      `import { writeFileSync } from "node:fs";
       await import(${real});
       writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`,
    ),
  );
  await startup.readConfig();
  const pid = Number(await readFile(pidFile, "utf8"));
  const making = startup.makeStreams("nats://127.0.0.1:1"); // Waits 10 s for a server.
  making.catch(() => {});
  expect(isAlive(pid)).toBe(true);
  startup.end();
  await expect(making).rejects.toThrow(/exited/);
  expect(isAlive(pid)).toBe(false);
});
