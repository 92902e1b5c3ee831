import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-output-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = (name: string) => JSON.stringify(join(import.meta.dirname, name));
const program = (lines: string) => `
  import { writeFileSync } from "node:fs";
  import { outliveOutput } from ${path("output.ts")};
  import { createLog } from ${path("log.ts")};
  const log = createLog("test");
  ${lines}`;

/**
 * Runs lines of a program whose output is closed once it printed "begun"; returns what it wrote to a file after that.
 */
async function runWithoutReader(lines: string): Promise<{ code: unknown; noted: string }> {
  const noted = join(folder, "noted");
  const begin = `process.stdout.write("begun\\n"); process.stdin.resume().once("end", () => { ${lines};
    setTimeout(() => writeFileSync(${JSON.stringify(noted)}, "alive"), 50); });`;
  const args = ["--input-type=module", "--eval", program(begin)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.stderr.destroy();
  child.stdin.end();
  const [code] = await once(child, "exit");
  return { code, noted: await readFile(noted, "utf8").catch(() => "") };
}

it("goes on without its output when nobody reads it any more", async () => {
  const write = `outliveOutput(); for (let n = 0; n < 3; n++) { process.stdout.write("a\\n"); process.stderr.write("b\\n"); }`;

  expect(await runWithoutReader(write)).toEqual({ code: 0, noted: "alive" });
});

it("goes on without its log when nobody reads it any more", async () => {
  const write = `for (let n = 0; n < 3; n++) log.warn("nobody reads this")`;

  expect(await runWithoutReader(write)).toEqual({ code: 0, noted: "alive" });
});

it.runIf(existsSync("/dev/full"))("goes on when its output is a file on a full disk", async () => {
  const lines = `outliveOutput(); for (let n = 0; n < 3; n++) { log.warn("lost"); process.stdout.write("lost\\n"); }`;
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(lines)], {
    stdio: ["ignore", full, full],
  });
  const [code] = await once(child, "exit");
  closeSync(full);

  expect(code).toBe(0);
});

it("prints nothing that a library writes past the log", () => {
  const lines = `import { silenceLibraries } from ${path("output.ts")};
    silenceLibraries(); console.error("from a server"); console.trace("from a server"); log.warn("ours");`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program(lines)]);

  expect(stdout.toString()).toMatch(/^\{.*"ours".*\}\n$/);
  expect(stderr.toString()).toBe("");
});
