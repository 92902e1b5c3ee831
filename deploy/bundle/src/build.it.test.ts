import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "./build.ts";
import { root } from "./packages.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-bundle-"));
  await bundle({ entry: "deploy/local/src/main.ts", into: folder, isInClone: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function placeOf(text: string): Promise<string> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".js"))) {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n");
    const at = lines.findIndex((line) => line.includes(text));
    if (at >= 0) return `${join(folder, name)}:${at + 1}:${lines[at]!.indexOf(text) + 1}`;
  }
  throw new Error(`no file of the bundle has ${text}`);
}

test("the bundle has every thread and child process that the services start", async () => {
  expect((await readdir(folder)).filter((name) => /-(?:thread|child)\.js$/.test(name))).toEqual([
    "gateway-import-thread.js",
    "kit-patterns-thread.js",
    "local-startup-child.js",
    "local-supervisor-child.js",
    "notifier-rehearsal-thread.js",
    "probe-runner-probe-judging-thread.js",
    "status-page-render-thread.js",
  ]);
});

test("a bundle in a clone looks for the web app in the same folder as the sources", async () => {
  const [place = ""] = (await placeOf('"../../../web/dist"')).split(":");
  const text = await readFile(place, "utf8");
  const [, back = ""] = /import\.meta\.dirname\+"([^"]+)","\.\.\/\.\.\/\.\.\/web\/dist"/.exec(text) ?? [];
  expect(join(folder, back)).toBe(join(root, "services/gateway/src"));
});

test("bundle locations are traced to their source, and other lines are unchanged", async () => {
  const place = await placeOf("Sonde is ready: ");
  const log = `    at start (file://${place})\n{"stack":"at /elsewhere/main.js:1:2"}\n`;
  const traced = execFileSync(process.execPath, [join(folder, "trace.js")], { input: log, encoding: "utf8" });
  expect(traced).toMatch(/^ {4}at start \(\S*deploy\/local\/src\/sonde\.ts:\d+:\d+\)\n/);
  expect(traced.split("\n")[1]).toBe('{"stack":"at /elsewhere/main.js:1:2"}');
});

test("the error for a source that cannot be parsed names its location", async () => {
  const broken = join(folder, "broken.ts");
  await writeFile(broken, "const = 1;");
  await expect(bundle({ entry: broken, into: join(folder, "none") })).rejects.toThrow("broken.ts:1:6");
});
