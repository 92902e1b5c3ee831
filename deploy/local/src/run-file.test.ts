import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bornAt, isAlive } from "@sonde/embedded/process-identity";
import { takeDataDir } from "./run-file.ts";

let dataDir: string;
let stranger: ReturnType<typeof spawn>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-run-"));
  stranger = spawn("sleep", ["600"]);
  await once(stranger, "spawn");
});

afterEach(async () => {
  stranger.kill("SIGKILL");
  await rm(dataDir, { recursive: true });
});

const quiet = () => {};
const pid = () => stranger.pid as number;
const dead = { pid: 999_999_999, born: "before" };
const leave = (contents: unknown) => writeFile(join(dataDir, "run.json"), JSON.stringify(contents));

it("rejects a folder that a running Sonde uses, and names its process", async () => {
  await leave({ owner: { pid: pid(), born: bornAt(pid()) }, stopping: false, children: {} });

  await expect(takeDataDir(dataDir, quiet)).rejects.toThrow(`, as process ${pid()}`);
  expect(isAlive(pid())).toBe(true);
}, 10_000);

it("ends the services of a run that was killed", async () => {
  await leave({ owner: dead, stopping: false, children: { metrics: { pid: pid(), born: bornAt(pid()) } } });

  await takeDataDir(dataDir, quiet);

  expect(isAlive(pid())).toBe(false);
});

it("does not end a process that merely reuses a process id", async () => {
  await leave({
    owner: { pid: pid(), born: "another boot" },
    stopping: false,
    children: { metrics: { ...dead, pid: pid() } },
  });

  await takeDataDir(dataDir, quiet);

  expect(isAlive(pid())).toBe(true);
});

it("waits for a run that is stopping", async () => {
  await leave({ owner: { pid: pid(), born: bornAt(pid()) }, stopping: true, children: {} });
  const lines: string[] = [];
  const taken = takeDataDir(dataDir, (line) => {
    lines.push(line);
    stranger.kill();
  });

  await taken;

  expect(lines).toEqual(["Waiting for the earlier run to stop …"]);
});

it("replaces a file that a crash truncated", async () => {
  await writeFile(join(dataDir, "run.json"), '{"owner":{"pi');

  const run = await takeDataDir(dataDir, quiet);
  run.noteChild("core", pid());

  const contents = JSON.parse(await readFile(join(dataDir, "run.json"), "utf8")) as unknown;
  expect(contents).toMatchObject({ owner: { pid: process.pid }, children: { core: { pid: pid() } } });
});

it("unlocks the folder when the file is removed", async () => {
  const run = await takeDataDir(dataDir, quiet);
  run.remove();

  await expect(takeDataDir(dataDir, quiet)).resolves.toBeDefined();
});

it("ignores a failed write, such as on a full disk, and writes everything at the next change", async () => {
  const run = await takeDataDir(dataDir, quiet);
  await mkdir(join(dataDir, "run.json.new"));
  run.noteChild("core", pid());
  await rm(join(dataDir, "run.json.new"), { recursive: true });

  run.noteStopping();

  const contents = JSON.parse(await readFile(join(dataDir, "run.json"), "utf8")) as unknown;
  expect(contents).toMatchObject({ stopping: true, children: { core: { pid: pid() } } });
});

it("rejects a folder that another container uses, although its processes are not visible", async () => {
  const run = await takeDataDir(dataDir, quiet);
  await leave({ owner: dead, stopping: false, children: {} });

  await expect(takeDataDir(dataDir, quiet)).rejects.toThrow(", in another container");
  run.remove();
}, 10_000);

it("unlocks the folder when its process is killed", async () => {
  const script = `import { takeDataDir } from ${JSON.stringify(join(import.meta.dirname, "run-file.ts"))};
    await takeDataDir(${JSON.stringify(dataDir)}, () => {}); console.log("taken"); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  await once(other.stdout, "data");
  await expect(takeDataDir(dataDir, quiet)).rejects.toThrow(`, as process ${other.pid}`);
  other.kill("SIGKILL");
  await once(other, "exit");

  (await takeDataDir(dataDir, quiet)).remove();
}, 10_000);
