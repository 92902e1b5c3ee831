import { readdir, readFile, readlink, mkdir, utimes, writeFile } from "node:fs/promises";
import { loadSite } from "@sonde/gateway/site/site";
import { startTestApp, type TestApp } from "@sonde/gateway/testing/test-app";
import { expect, it, onTestFinished } from "vitest";
import { builtFolder } from "../clone.ts";
import { useClone } from "./clone.testing.ts";

const clone = useClone();

it("rebuilds the documentation after a page changed, but not because of its own output", async () => {
  await mkdir(clone.at("docs/.vitepress"), { recursive: true });
  await writeFile(clone.at("docs/index.md"), "# Sonde");
  const builds = async () => (await clone.log()).split("\n").filter((line) => line === "begin --workspace").length;
  for (const _ of [1, 2]) await clone.start({ onlyToRun: true, part: "docs" }).ended;
  expect([await builds(), await readFile(clone.at("deploy/local/dist/docs/current/index.html"), "utf8")]).toEqual([
    1,
    "built",
  ]);

  await writeFile(clone.at("docs/index.md"), "# Sonde, changed");
  await clone.start({ onlyToRun: true, part: "docs" }).ended;

  expect(await builds()).toBe(2);
});

it("starts with the previous documentation if its build fails", async () => {
  await clone.start({ onlyToRun: true, part: "docs" }).ended;
  await writeFile(clone.at("fail"), "");
  await utimes(clone.at("package-lock.json"), 2e9, 2e9);

  const spare = clone.start({ onlyToRun: true, part: "docs", isSpare: true });

  expect(await spare.ended).toEqual([0, null]);
  expect(spare.output()).toContain("Building the documentation failed; Sonde starts without it.");
  expect(await readFile(clone.at("deploy/local/dist/docs/current/index.html"), "utf8")).toBe("built");
});

it("a new build does not change the web app of a running gateway", async () => {
  const buildWith = async (word: string) => {
    await writeFile(clone.at("web/src/word"), word);
    await clone.start().ended;
    return loadSite(builtFolder("web", clone.at())!);
  };
  const running = await startTestApp({ site: await buildWith("former") });
  onTestFinished(running.stop);
  const restarted = await startTestApp({ site: await buildWith("later") });
  onTestFinished(restarted.stop);

  const read = async (app: TestApp, path: string) => {
    const { status, text } = await app.ask("GET", path, { headers: { accept: "text/html,*/*" } });
    return status === 200 ? text : status;
  };
  expect([await read(running, "/monitors"), await read(running, "/assets/c-former.js")]).toEqual(["former", "former"]);
  expect([await read(restarted, "/monitors"), await read(restarted, "/assets/c-former.js")]).toEqual(["later", 404]);
});

const bundler = (work: string) => `
  import { mkdirSync, writeFileSync } from "node:fs";
  const [, , into] = process.argv;
  mkdirSync(into, { recursive: true });
  ${work}
  writeFileSync(into + "/main.js", "bundled");`;
const bundles = async () => {
  const names = (await readdir(clone.at("deploy/local/dist/services"))).toSorted();
  return { names, current: await readlink(clone.at("deploy/local/dist/services/current")) };
};
async function writeBundler(work = ""): Promise<void> {
  await mkdir(clone.at("deploy/bundle/src"), { recursive: true });
  await writeFile(clone.at("deploy/bundle/src/local.ts"), bundler(work));
}

it("bundles again after a source changed, and keeps the previous bundle for a running Sonde", async () => {
  await writeBundler();
  await mkdir(clone.at("services"));
  for (const _ of [1, 2]) await clone.start({ onlyToRun: true, part: "services" }).ended;
  const first = await bundles();
  expect(first.names).toEqual([first.current, "current"]);

  await writeFile(clone.at("services/main.ts"), "changed");
  await clone.start({ onlyToRun: true, part: "services" }).ended;
  const second = await bundles();
  expect(second.names).toEqual([first.current, second.current, "current"]);

  await writeFile(clone.at("services/main.ts"), "changed again");
  await clone.start({ onlyToRun: true, part: "services" }).ended;
  const third = await bundles();
  expect(third.names).toEqual([second.current, third.current, "current"]);
});

it("shows why bundling failed, and starts with the last bundle only if the disk is full", async () => {
  await writeBundler();
  await clone.start({ onlyToRun: true, part: "services" }).ended;
  const last = await bundles();

  await writeBundler('throw new Error("services/auth/src/main.ts:1:6: expected identifier");');
  const broken = clone.start({ onlyToRun: true, part: "services" });
  expect(await broken.ended).toEqual([1, null]);
  expect(broken.output()).toContain("services/auth/src/main.ts:1:6: expected identifier");
  expect((await bundles()).current).toBe(last.current);

  await writeBundler('throw new Error("write: no space left on device");');
  const full = clone.start({ onlyToRun: true, part: "services" });
  expect(await full.ended).toEqual([0, null]);
  expect(full.output()).toContain("the disk is full. Sonde starts with the last built version.");
  expect(await bundles()).toEqual(last);
});
