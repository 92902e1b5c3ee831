import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

// A clone with a fake Sonde that prints its arguments and exits.
let clone: string;
let start: string;
const bin = `node_modules/node-linux-${process.arch}/bin`;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "sonde-start-"));
  for (const folder of ["deploy/local/dist/services/2", bin]) await mkdir(join(clone, folder), { recursive: true });
  for (const name of ["start", "node"])
    await cp(resolve(import.meta.dirname, "../..", name), join(clone, "deploy/local", name));
  await writeFile(join(clone, "deploy/local/prepare.mjs"), `process.exit(process.argv.includes("--fail") ? 3 : 0);`);
  const main = `process.stdout.write(JSON.stringify([process.argv.slice(1), process.ppid]) + "\\n");`;
  await writeFile(join(clone, "deploy/local/dist/services/2/main.js"), main);
  await symlink("2", join(clone, "deploy/local/dist/services/current"));
  await symlink(process.execPath, join(clone, bin, "node"));
  start = `sh ${join(clone, "deploy/local/start")}`;
});
afterAll(() => rm(clone, { recursive: true, force: true }));

async function run(file: string, args: string[]): Promise<[string[], number]> {
  const running = promisify(execFile)(file, args);
  running.child.stdin?.end();
  return JSON.parse(/\[\[.*\]/.exec((await running).stdout)?.[0] ?? "[]") as [string[], number];
}
const inTerminal = async (command: string) =>
  (await run("/usr/bin/script", ["-qec", command, "/dev/null"]))[0].includes("--outlive-hang-up");
const hasTerminals = existsSync("/usr/bin/script") && process.platform === "linux";

it("executes the bundled Sonde with its arguments after the preparation", async () => {
  const [[program, ...args], parent] = await run("sh", ["-c", `exec ${start} --one 'a word'`]);

  expect(args).toEqual(["--one", "a word", "--outlive-hang-up"]);
  // The link is resolved, because the next build changes it.
  expect(program).toBe(join(clone, "deploy/local/dist/services/2/main.js"));
  expect(parent).toBe(process.pid);
  await expect(run("sh", ["-c", `exec ${start} --fail`])).rejects.toMatchObject({ code: 3, stdout: "" });
});

it.runIf(hasTerminals)(
  "ends with its terminal, unless run with nohup or from a shell that ignores SIGHUP",
  async () => {
    expect(await inTerminal(start)).toBe(false);
    expect(await inTerminal(`nohup ${start} | cat`)).toBe(true);
    expect(await inTerminal(`trap '' HUP; ${start}; true`)).toBe(true);
  },
);
