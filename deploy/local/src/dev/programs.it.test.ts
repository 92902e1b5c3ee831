import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive } from "@sonde/kit/embedded/process-identity";
import { openPrograms, type Programs } from "./watch-services.ts";

let folder: string;
let programs: Programs;
let lines: EventEmitter;
/** Every line of every program. */
let said: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-dev-"));
  lines = new EventEmitter();
  said = [];
  const show = (name: string, line: string) => {
    said.push(line);
    lines.emit(`${name} ${line}`);
  };
  programs = openPrograms({ show, onStarted: () => {} });
});
afterEach(async () => {
  programs.kill();
  await rm(folder, { recursive: true, force: true });
});

/** A long-running program that prints the word of a module that it imports, with its process id. */
async function startSpeaker(name: string, word: string) {
  await writeFile(join(folder, `${name}.mjs`), `export const word = ${JSON.stringify(word)};`);
  const main = join(folder, `${name}-main.mjs`);
  await writeFile(
    main,
    `import { writeFileSync } from "node:fs"; import { word } from "./${name}.mjs";
     writeFileSync(${JSON.stringify(join(folder, `${name}.pid`))}, String(process.pid));
     console.log(word); setInterval(() => {}, 1000);`,
  );
  const started = once(lines, `${name} ${word}`);
  programs.start({ name, args: ["--watch", "--watch-preserve-output", main], environment: process.env });
  await started;
  return Number(await readFile(join(folder, `${name}.pid`), "utf8"));
}

/**
 * Saves a module each second until a printed line matches `expected`: `node --watch` misses a change that comes before
 * the program has reported which modules it imports.
 */
async function saveUntil(module: string, source: string, expected: RegExp) {
  const isPrinted = () => said.some((line) => expected.test(line));
  const saveAgain = async () => {
    if (!isPrinted()) await writeFile(join(folder, module), source);
    return isPrinted();
  };
  await expect.poll(saveAgain, { interval: 1_000 }).toBe(true);
}

it("starts the program again whose module changed, and leaves the others alone", async () => {
  const [auth, monitors] = [await startSpeaker("auth", "one"), await startSpeaker("monitors", "one")];

  await saveUntil("auth.mjs", 'export const word = "two";', /^two$/);

  expect(isAlive(auth)).toBe(false);
  expect(isAlive(monitors)).toBe(true);
});

it("waits for a change after a program failed, and starts it again then", async () => {
  await startSpeaker("auth", "one");

  await saveUntil("auth.mjs", 'throw new Error("two");', /^Failed running .*Waiting for file changes/);
  await saveUntil("auth.mjs", 'export const word = "three";', /^three$/);
  expect(said).toContain("three");
});

it("has ended every program when it has stopped", async () => {
  const pids = [await startSpeaker("auth", "one"), await startSpeaker("monitors", "one")];

  await programs.stop();

  expect(pids.filter(isAlive)).toEqual([]);
});

it("says that a program ended by itself", async () => {
  const ended = once(lines, "web ended (code 3)");
  programs.start({ name: "web", args: ["--eval", "process.exit(3)"], environment: process.env });
  await expect(ended).resolves.toBeDefined();
});
