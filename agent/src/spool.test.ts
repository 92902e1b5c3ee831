import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Spool, openSpool } from "./spool.ts";
import { temporaryFolder } from "./testing/fixture.ts";

const sample = (text: string) => Buffer.from(text);
const all = { samples: 1000, bytes: 1_000_000 };
const options = { maxBytes: 1_000_000 };

function drain(spool: Spool): string[] {
  const texts: string[] = [];
  for (let batch = spool.peek(all); batch !== undefined; batch = spool.peek(all)) {
    texts.push(...batch.samples.map((bytes) => Buffer.from(bytes).toString()));
    batch.done();
  }
  return texts;
}

const files = (folder: string) => readdirSync(folder).map((name) => join(folder, name));

test("samples are returned in order, and removed only after `done`", () => {
  const spool = openSpool(temporaryFolder(), options);
  for (const text of ["a", "b", "c"]) spool.append(sample(text));
  expect(spool.peek({ samples: 2, bytes: 1000 })?.samples.map(String)).toHaveLength(2);
  expect(spool.waiting()).toBe(3);
  spool.peek({ samples: 2, bytes: 1000 })?.done();
  expect(spool.waiting()).toBe(1);
  expect(drain(spool)).toEqual(["c"]);
  expect(spool.peek(all)).toBeUndefined();
});

test("samples appended during a batch stay when the batch is done", () => {
  const spool = openSpool(temporaryFolder(), options);
  spool.append(sample("a"));
  const batch = spool.peek(all);
  spool.append(sample("b"));
  batch?.done();
  batch?.done();
  expect(drain(spool)).toEqual(["b"]);
});

test("an empty spool does not grow on disk", () => {
  const folder = temporaryFolder();
  const spool = openSpool(folder, options);
  for (let cycle = 0; cycle < 50; cycle += 1) {
    spool.append(Buffer.alloc(500));
    spool.peek(all)?.done();
  }
  expect(files(folder)).toHaveLength(1);
  expect(statSync(files(folder)[0]!).size).toBe(0);
});

test("a batch respects its size limit, but has at least one sample", () => {
  const spool = openSpool(temporaryFolder(), options);
  for (let index = 0; index < 3; index += 1) spool.append(Buffer.alloc(1000, 1));
  expect(spool.peek({ samples: 10, bytes: 2100 })?.samples).toHaveLength(2);
  expect(spool.peek({ samples: 10, bytes: 10 })?.samples).toHaveLength(3);
});

test("samples survive a restart in order", () => {
  const folder = temporaryFolder();
  const first = openSpool(folder, options);
  for (const text of ["a", "b"]) first.append(sample(text));
  const second = openSpool(folder, options);
  second.append(sample("c"));
  expect(second.waiting()).toBe(3);
  expect(drain(openSpool(folder, options))).toEqual(["a", "b", "c"]);
});

test("a full spool drops the oldest samples and counts them", () => {
  const folder = temporaryFolder();
  const spool = openSpool(folder, { maxBytes: 10_000, segmentBytes: 2000 });
  for (let index = 0; index < 100; index += 1) spool.append(sample(String(index).padStart(492, "0")));
  const left = drain(spool).map(Number);
  expect(left.at(-1)).toBe(99);
  expect(left).toEqual(Array.from({ length: left.length }, (_, index) => 100 - left.length + index));
  expect(left.length).toBeGreaterThan(10);
  expect(left.length * 500).toBeLessThanOrEqual(10_000);
  expect(spool.lost()).toBe(100 - left.length);
});

test("a batch whose samples were dropped removes no others", () => {
  const spool = openSpool(temporaryFolder(), { maxBytes: 2000, segmentBytes: 500 });
  for (let index = 0; index < 4; index += 1) spool.append(Buffer.alloc(490, 65 + index));
  const batch = spool.peek(all);
  for (let index = 4; index < 9; index += 1) spool.append(Buffer.alloc(490, 65 + index));
  const before = spool.waiting();
  batch?.done();
  expect(spool.waiting()).toBe(before);
});

test.each([
  ["half a header", (path: string) => appendFileSync(path, Buffer.from([9, 0]))],
  ["half a record", (path: string) => truncateSync(path, statSync(path).size - 1)],
  ["zeros, as a power failure leaves them", (path: string) => appendFileSync(path, Buffer.alloc(100))],
  ["an absurd length", (path: string) => appendFileSync(path, Buffer.alloc(100, 255))],
])("a tail of %s costs nothing that was whole", (_, damage) => {
  const folder = temporaryFolder();
  const first = openSpool(folder, options);
  for (const text of ["a", "b", "c"]) first.append(sample(text));
  damage(files(folder)[0]!);
  const second = openSpool(folder, options);
  second.append(sample("d"));
  expect(drain(second)).toEqual(expect.arrayContaining(["a", "b", "d"]));
  expect(second.lost()).toBe(1);
});

test("a flipped bit is detected", () => {
  const folder = temporaryFolder();
  const first = openSpool(folder, options);
  for (const text of ["aaaa", "bbbb"]) first.append(sample(text));
  const bytes = readFileSync(files(folder)[0]!);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(files(folder)[0]!, bytes);
  expect(drain(openSpool(folder, options))).toEqual(["aaaa"]);
});

test("with an unwritable folder the newest samples are kept in memory", () => {
  const folder = temporaryFolder();
  const spool = openSpool(folder, options);
  // A folder in place of the first segment's file: opening it fails for every user, even root.
  const blocked = openSpool(join(folder, "x"), options);
  spool.close();
  const path = join(folder, "x", `${"1".padStart(12, "0")}.spool`);
  writeFileSync(`${path}.note`, "");
  const { mkdirSync } = process.getBuiltinModule("node:fs");
  mkdirSync(path);
  for (let index = 0; index < 70; index += 1) blocked.append(sample(String(index)));
  expect(blocked.waiting()).toBe(60);
  expect(blocked.lost()).toBe(10);
  expect(drain(blocked).map(Number)).toEqual(Array.from({ length: 60 }, (_, index) => index + 10));
});

test("kill -9 loses no appended sample", async () => {
  const folder = temporaryFolder();
  const script = `
    const { openSpool } = await import(${JSON.stringify(new URL("./spool.ts", import.meta.url).href)});
    const spool = openSpool(${JSON.stringify(folder)}, { maxBytes: 1e7, segmentBytes: 3000 });
    for (let index = 0; ; index += 1) {
      spool.append(Buffer.from(String(index).padEnd(300)));
      process.stdout.write(index + "\\n");
      await new Promise((resolve) => setImmediate(resolve));
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.split("\n").length > 40) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  const acknowledged = output.split("\n").slice(0, -1).map(Number);
  const kept = new Set(drain(openSpool(folder, { maxBytes: 1e7 })).map(Number));
  expect(acknowledged.length).toBeGreaterThan(30);
  expect(acknowledged.filter((index) => !kept.has(index))).toEqual([]);
});
