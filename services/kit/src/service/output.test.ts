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
  import { ignoreLostOutput } from ${path("output.ts")};
  import { createLog } from ${path("log.ts")};
  const log = createLog("test");
  ${lines}`;

/**
 * Runs code in a program whose output is closed after it printed "begun". Returns what it wrote to a file after that.
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

it("continues without its output when the reader is gone", async () => {
  const write = `ignoreLostOutput(); for (let n = 0; n < 3; n++) { process.stdout.write("a\\n"); process.stderr.write("b\\n"); }`;

  expect(await runWithoutReader(write)).toEqual({ code: 0, noted: "alive" });
});

it("continues without its log when the reader is gone", async () => {
  const write = `for (let n = 0; n < 3; n++) log.warn("nobody reads this")`;

  expect(await runWithoutReader(write)).toEqual({ code: 0, noted: "alive" });
});

it.runIf(existsSync("/dev/full"))("continues when its output is a file on a full disk", async () => {
  const lines = `ignoreLostOutput(); for (let n = 0; n < 3; n++) { log.warn("lost"); process.stdout.write("lost\\n"); }`;
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(lines)], {
    stdio: ["ignore", full, full],
  });
  const [code] = await once(child, "exit");
  closeSync(full);

  expect(code).toBe(0);
});

it("drops what libraries print", () => {
  const lines = `import { silenceLibraries } from ${path("output.ts")};
    silenceLibraries(); console.error("from a server"); console.trace("from a server"); log.warn("ours");`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program(lines)]);

  expect(stdout.toString()).toMatch(/^\{.*"ours".*\}\n$/);
  expect(stderr.toString()).toBe("");
});
