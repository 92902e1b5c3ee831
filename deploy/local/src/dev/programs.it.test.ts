import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive } from "@sonde/embedded/process-identity";
import { openPrograms, type Programs } from "./watch-services.ts";

let folder: string;
let programs: Programs;
let lines: EventEmitter;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-dev-"));
  lines = new EventEmitter();
  programs = openPrograms({ show: (name, line) => lines.emit(name, line), onStarted: () => {} });
});
afterEach(async () => {
  programs.kill();
  await rm(folder, { recursive: true, force: true });
});

it("a stop ends every program and its child processes", async () => {
  const main = join(folder, "main.mjs");
  await writeFile(main, "console.log(process.pid); setInterval(() => {}, 1000);");
  const pids = await Promise.all(
    ["auth", "monitors"].map(async (name) => {
      const printed = once(lines, name);
      programs.start({ name, args: ["--watch", "--watch-preserve-output", main], environment: process.env });
      return Number((await printed)[0]);
    }),
  );
  expect(pids.filter(isAlive)).toEqual(pids);

  await programs.stop();

  expect(pids.filter(isAlive)).toEqual([]);
});

it("reports that a program exited", async () => {
  const ended = once(lines, "web");
  programs.start({ name: "web", args: ["--eval", "process.exit(3)"], environment: process.env });
  expect(await ended).toEqual(["ended (code 3)"]);
});
