import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isSchedule, scheduleBackups } from "./scheduled.ts";
import { commonEnvironment } from "../supervisor/processes.ts";

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-scheduled-"));
  program = join(folder, "main.mjs");
  // A fake backup program that writes its arguments to the destination.
  await writeFile(
    program,
    `import { writeFileSync } from "node:fs";
    const [word, to] = process.argv.slice(2);
    if (to.endsWith("waits")) setInterval(() => {}, 1000);
    else if (to.endsWith("fails")) { console.error("The bucket is not reached.\\n  at somewhere"); process.exitCode = 1; }
    else { writeFileSync(to, JSON.stringify([process.argv.slice(2), process.env.SONDE_DATA_DIR])); console.error("Backed up to " + to); }`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function schedule(to: string, withKey = false) {
  const terminal = { info: vi.fn<(line: string) => void>(), warn: vi.fn<(line: string) => void>() };
  const config = {
    SONDE_BACKUP_SCHEDULE: "* * * * * *",
    SONDE_BACKUP_TO: join(folder, to),
    SONDE_BACKUP_KEEP: 7,
    SONDE_BACKUP_WITH_KEY: withKey,
  };
  return { ...terminal, ...scheduleBackups(config, "/data", terminal, program) };
}

test("a scheduled backup runs in a separate process and is reported in one line", async () => {
  const to = join(folder, "made");
  const { info, stop } = schedule("made", true);
  await vi.waitFor(() => expect(info).toHaveBeenCalledWith(`Backed up to ${to}`), { timeout: 30_000 });
  await stop();
  expect(JSON.parse(await readFile(to, "utf8"))).toEqual([["backup", to, "--keep", "7", "--with-key"], "/data"]);
});

test("a failed backup is reported with its reason", async () => {
  const { warn, stop } = schedule("fails");
  await vi.waitFor(() => expect(warn).toHaveBeenCalledWith("The backup failed: The bucket is not reached."), {
    timeout: 30_000,
  });
  await stop();
});

test("a stop ends a running backup", async () => {
  const { info, warn, stop } = schedule("waits");
  await new Promise((resolve) => void setTimeout(resolve, 1_500));
  await stop();
  expect(info).not.toHaveBeenCalled();
  expect(warn).not.toHaveBeenCalled();
});

test.each(["15 2 * * *", "@daily"])("%s is a schedule", (text) => expect(isSchedule(text)).toBe(true));
test.each(["", "at night", "61 * * * *", "0 0 30 2 *"])("'%s' is not a schedule", (text) =>
  expect(isSchedule(text)).toBe(false),
);

test("services do not get the variables that only backups need", () => {
  const environment = { AWS_SECRET_ACCESS_KEY: "x", SONDE_BACKUP_TO: "y", BACKUP_DATABASE_URL: "z", BACKUP_TOKEN: "t" };
  expect(commonEnvironment(environment)).toEqual({ BACKUP_TOKEN: "t" });
});
