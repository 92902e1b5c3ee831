import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { lock, pinned, useClone } from "./clone.testing.ts";

const clone = useClone();
const whole = "begin ci\nend ci\nbegin --workspace\nend --workspace\n";

it("installs and builds once for two starts at once, and the second says that it waits", async () => {
  await writeFile(clone.at("hold"), "");
  const first = clone.start();
  await expect.poll(clone.log).toContain("begin ci");
  const second = clone.start();
  await expect.poll(second.said).toBe("Another start is installing or building here; waiting for it …\n");
  await rm(clone.at("hold"));

  expect(await first.ended).toEqual([0, null]);
  expect(await second.ended).toEqual([0, null]);

  expect(await clone.log()).toBe(whole);
  expect(await readFile(clone.at("deploy/local/dist/web/current/index.html"), "utf8")).toBe("built");
});

it("leaves out what only development needs, which is added later without taking away what is there", async () => {
  await clone.start({ onlyToRun: true }).ended;
  await clone.start({ onlyToRun: true }).ended;
  expect(await clone.log()).toBe(whole.replace("begin ci", "begin ci --omit=dev"));
  await writeFile(clone.at("node_modules/kept"), "");

  await clone.start().ended;
  await clone.start({ onlyToRun: true }).ended;

  expect((await clone.log()).split("\n").slice(4, -1)).toEqual(["begin install", "end install"]);
  await readFile(clone.at("node_modules/kept"));
});

it("leaves nothing out of an install that had everything before", async () => {
  await clone.start().ended;
  await writeFile(clone.at("package-lock.json"), lock("2.0.0"));
  await clone.start({ onlyToRun: true }).ended;
  expect(await clone.log()).toBe(whole + whole);
});

it("does nothing if everything is installed, and installs again after the lock file changed", async () => {
  await clone.start().ended;
  await clone.start().ended;
  expect(await clone.log()).toBe(whole);

  await writeFile(clone.at("package-lock.json"), lock("2.0.0"));
  await clone.start().ended;

  expect(await clone.log()).toBe(whole + whole);
});

it("installs again when a workspace was added, since its link is missing", async () => {
  await mkdir(clone.at("first"));
  await writeFile(clone.at("package-lock.json"), lock("1.0.0", ["first"]));
  await clone.start().ended;
  await clone.start().ended;
  expect(await clone.log()).toBe(whole);

  await mkdir(clone.at("second"));
  await writeFile(clone.at("package-lock.json"), lock("1.0.0", ["first", "second"]));
  await clone.start().ended;

  expect(await clone.log()).toBe(whole + whole);
});

it("waits for the npm of a start that was killed, and repeats the interrupted install", async () => {
  await writeFile(clone.at("hold"), "");
  const killed = clone.start();
  await expect.poll(clone.log).toContain("begin ci");
  killed.process.kill("SIGKILL");
  await killed.ended;
  const next = clone.start();
  await expect.poll(next.said).toContain("waiting for it");
  await writeFile(clone.at("fail"), "");
  await rm(clone.at("hold"));
  await expect.poll(clone.log).toBe("begin ci\nbegin ci\n");
  expect(await next.ended).toEqual([1, null]);
  await rm(clone.at("fail"));

  expect(await clone.start().ended).toEqual([0, null]);

  expect(await clone.log()).toBe(`begin ci\nbegin ci\n${whole}`);
});

it("ends its npm when it is stopped, or when the shell that runs it has ended", async () => {
  await writeFile(clone.at("hold"), "");
  const stopped = clone.start();
  await expect.poll(clone.log).toBe("begin ci\n");
  stopped.process.kill("SIGTERM");
  expect(await stopped.ended).toEqual([130, null]);

  const script = 'import("./deploy/local/prepare.mjs").then(({ install }) => install())';
  const shell = spawn("sh", ["-c", `"${process.execPath}" -e '${script}'; true`], {
    cwd: clone.at(),
    env: { PATH: process.env.PATH, npm_execpath: clone.at("npm-cli.js") },
  });
  const closed = once(shell.stdout, "close"); // Emitted when the last process that inherited the stream ends.
  shell.stdout.resume();
  await expect.poll(clone.log).toBe("begin ci\nbegin ci\n");
  shell.kill("SIGTERM");
  await closed;

  await rm(clone.at("hold"));
  expect(await clone.start().ended).toEqual([0, null]);
  expect(await clone.log()).toBe(`begin ci\nbegin ci\n${whole}`);
});

it("takes an install by hand where every package is there in its version", async () => {
  await mkdir(clone.at(pinned, "bin"), { recursive: true });
  await symlink(process.execPath, clone.at(pinned, "bin/node"));
  const byHand = (version: string) => writeFile(clone.at("node_modules/.package-lock.json"), lock(version));
  await byHand("1.0.0");
  await clone.start().ended;
  expect(await clone.log()).toBe("begin --workspace\nend --workspace\n");

  await byHand("0.9.0");
  await clone.start().ended;

  expect(await clone.log()).toContain("begin ci");
});

it("says so where an install fails, and tries again at the next start", async () => {
  await writeFile(clone.at("fail"), "");
  const failing = clone.start();
  expect(await failing.ended).toEqual([1, null]);
  expect(failing.said()).toMatch(/Installing dependencies \(.+\) failed/);
  await rm(clone.at("fail"));

  expect(await clone.start().ended).toEqual([0, null]);
});

it.each(["with#hash", "50%"])("says at once that it cannot be built in a folder named %s", async (name) => {
  const odd = await clone.makeClone(name);

  const run = clone.start({ where: odd });

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/^Sonde cannot be built in .+: move it to a folder without "[#%]" in its path\.\n$/);
});

it("runs npm again on the pinned Node for packages that refuse the machine's own", async () => {
  await writeFile(clone.at("needs-newer-node"), "");

  expect(await clone.start({ onlyToRun: true }).ended).toEqual([0, null]);

  expect(await clone.log()).toBe(
    "begin ci --omit=dev\nend ci\nbegin install --omit=dev\nend install\nbegin --workspace\nend --workspace\n",
  );
});

it("says so if npm ended early without an error", async () => {
  await writeFile(clone.at("ends-early"), "");

  const run = clone.start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/npm ended early\. Is its registry reachable\?\n$/);
});

it("names the packages that npm left out without an error", async () => {
  await writeFile(clone.at("offline"), "");

  const run = clone.start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/npm did not install @rolldown\/binding-linux\.\n$/);
});

it("installs again if packages for running were installed by another lock file", async () => {
  await clone.start({ onlyToRun: true }).ended;
  const changed = JSON.parse(lock("1.0.0")) as { packages: Record<string, object> };
  changed.packages["node_modules/new"] = { version: "1.0.0" };
  await writeFile(clone.at("package-lock.json"), JSON.stringify(changed));

  await clone.start({ onlyToRun: true }).ended;

  expect((await clone.log()).match(/begin ci/g)).toHaveLength(2);
});

it.each([
  ["Node", "this is v20.9.0", { version: "v20.9.0", versions: { node: "20.9.0" } }],
  ["Node", "this is v18.20.4", { version: "v18.20.4", versions: { node: "18.20.4" } }],
  ["npm", "this is npm 8", { env: { npm_config_user_agent: "npm/8.19.4 node/v20.10.0 linux x64" } }],
  ["Linux", "this is darwin", { platform: "darwin" }],
  [
    "memory",
    "needs 1 GiB of memory; this machine or container has 512 MiB",
    { constrainedMemory: () => 512 * 2 ** 20 },
  ],
])("names what is missing before it downloads anything: %s, %s", async (_, sentence, machine) => {
  const run = clone.start({ onlyToRun: true, machine });

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toContain(sentence);
  expect(run.said().trim().split("\n")).toHaveLength(1);
  expect(await clone.log()).toBe("");
});

it("names the disk space that is missing before it downloads anything", async () => {
  const run = clone.start({
    onlyToRun: true,
    before: "(await import('node:fs')).default.statfsSync = () => ({ bavail: 1_200_000, bsize: 1_000 });",
  });

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/^Sonde needs 3 GB of free disk space to install; .+ has 1\.2 GB\.\n$/);
});

it("names the ways that work on arm64, where the embedded ClickHouse does not run", async () => {
  const run = clone.start({ onlyToRun: true, machine: { arch: "arm64" } });

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(
    /^The embedded ClickHouse runs on x64 .+ CLICKHOUSE_URL .+ Docker Compose .+arm64\.yaml\.\n$/,
  );
});
