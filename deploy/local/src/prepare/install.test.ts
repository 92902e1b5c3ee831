import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { lock, pinned, useClone } from "./clone.testing.ts";

const clone = useClone();
const fullLog = "begin ci\nend ci\nbegin --workspace\nend --workspace\n";

it("two simultaneous starts install and build once, and the second reports that it waits", async () => {
  await writeFile(clone.at("hold"), "");
  const first = clone.start();
  await expect.poll(clone.log).toContain("begin ci");
  const second = clone.start();
  await expect.poll(second.output).toBe("Another start is installing or building here; waiting for it to finish …\n");
  await rm(clone.at("hold"));

  expect(await first.ended).toEqual([0, null]);
  expect(await second.ended).toEqual([0, null]);

  expect(await clone.log()).toBe(fullLog);
  expect(await readFile(clone.at("deploy/local/dist/web/current/index.html"), "utf8")).toBe("built");
});

it("skips development packages, and can add them later without removing anything", async () => {
  await clone.start({ onlyToRun: true }).ended;
  await clone.start({ onlyToRun: true }).ended;
  expect(await clone.log()).toBe(fullLog.replace("begin ci", "begin ci --omit=dev"));
  await writeFile(clone.at("node_modules/kept"), "");

  await clone.start().ended;
  await clone.start({ onlyToRun: true }).ended;

  expect((await clone.log()).split("\n").slice(4, -1)).toEqual(["begin install", "end install"]);
  await readFile(clone.at("node_modules/kept"));
});

it("keeps development packages in an upgrade if they were installed", async () => {
  await clone.start().ended;
  await writeFile(clone.at("package-lock.json"), lock("2.0.0"));
  await clone.start({ onlyToRun: true }).ended;
  expect(await clone.log()).toBe(fullLog + fullLog);
});

it("does nothing if everything is installed, and installs again after the lock file changed", async () => {
  await clone.start().ended;
  await clone.start().ended;
  expect(await clone.log()).toBe(fullLog);

  await writeFile(clone.at("package-lock.json"), lock("2.0.0"));
  await clone.start().ended;

  expect(await clone.log()).toBe(fullLog + fullLog);
});

it("installs again after a workspace was added, because its link is missing", async () => {
  await mkdir(clone.at("first"));
  await writeFile(clone.at("package-lock.json"), lock("1.0.0", ["first"]));
  await clone.start().ended;
  await clone.start().ended;
  expect(await clone.log()).toBe(fullLog);

  await mkdir(clone.at("second"));
  await writeFile(clone.at("package-lock.json"), lock("1.0.0", ["first", "second"]));
  await clone.start().ended;

  expect(await clone.log()).toBe(fullLog + fullLog);
});

it("waits for the npm of a start that was killed, and repeats the interrupted install", async () => {
  await writeFile(clone.at("hold"), "");
  const killed = clone.start();
  await expect.poll(clone.log).toContain("begin ci");
  killed.process.kill("SIGKILL");
  await killed.ended;
  const next = clone.start();
  await expect.poll(next.output).toContain("waiting for it");
  await writeFile(clone.at("fail"), "");
  await rm(clone.at("hold"));
  await expect.poll(clone.log).toBe("begin ci\nbegin ci\n");
  expect(await next.ended).toEqual([1, null]);
  await rm(clone.at("fail"));

  expect(await clone.start().ended).toEqual([0, null]);

  expect(await clone.log()).toBe(`begin ci\nbegin ci\n${fullLog}`);
});

it("ends its npm when it is stopped or when its shell ends", async () => {
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
  expect(await clone.log()).toBe(`begin ci\nbegin ci\n${fullLog}`);
});

it("accepts a manual installation with all packages in the right versions", async () => {
  await mkdir(clone.at(pinned, "bin"), { recursive: true });
  await symlink(process.execPath, clone.at(pinned, "bin/node"));
  const installManually = (version: string) => writeFile(clone.at("node_modules/.package-lock.json"), lock(version));
  await installManually("1.0.0");
  await clone.start().ended;
  expect(await clone.log()).toBe("begin --workspace\nend --workspace\n");

  await installManually("0.9.0");
  await clone.start().ended;

  expect(await clone.log()).toContain("begin ci");
});

it("reports a failed installation, and retries at the next start", async () => {
  await writeFile(clone.at("fail"), "");
  const failing = clone.start();
  expect(await failing.ended).toEqual([1, null]);
  expect(failing.output()).toMatch(/Installing dependencies \(.+\) failed/);
  await rm(clone.at("fail"));

  expect(await clone.start().ended).toEqual([0, null]);
});

it.each(["with#hash", "50%"])("reports at once that it cannot be built in a folder named %s", async (name) => {
  const odd = await clone.createClone(name);

  const run = clone.start({ where: odd });

  expect(await run.ended).toEqual([1, null]);
  expect(run.output()).toMatch(/^Sonde cannot be built in .+: move it to a folder without "[#%]" in its path\.\n$/);
});

it("runs npm again with the pinned Node for packages that do not support the machine's Node", async () => {
  await writeFile(clone.at("needs-newer-node"), "");

  expect(await clone.start({ onlyToRun: true }).ended).toEqual([0, null]);

  expect(await clone.log()).toBe(
    "begin ci --omit=dev\nend ci\nbegin install --omit=dev\nend install\nbegin --workspace\nend --workspace\n",
  );
});

it("reports that npm ended early without an error", async () => {
  await writeFile(clone.at("ends-early"), "");

  const run = clone.start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.output()).toMatch(/npm ended early\. Is its registry reachable\?\n$/);
});

it("lists the packages that npm skipped without an error", async () => {
  await writeFile(clone.at("offline"), "");

  const run = clone.start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.output()).toMatch(/npm did not install @rolldown\/binding-linux\.\n$/);
});

it("installs again if the packages to run were installed from another lock file", async () => {
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
])("reports unmet requirements before downloading anything: %s, %s", async (_, sentence, machine) => {
  const run = clone.start({ onlyToRun: true, machine });

  expect(await run.ended).toEqual([1, null]);
  expect(run.output()).toContain(sentence);
  expect(run.output().trim().split("\n")).toHaveLength(1);
  expect(await clone.log()).toBe("");
});

it("reports missing disk space before downloading anything", async () => {
  const run = clone.start({
    onlyToRun: true,
    before: "(await import('node:fs')).default.statfsSync = () => ({ bavail: 1_200_000, bsize: 1_000 });",
  });

  expect(await run.ended).toEqual([1, null]);
  expect(run.output()).toMatch(/^Sonde needs 3 GB of free disk space to install; .+ has 1\.2 GB\.\n$/);
});

it("lists the alternatives on arm64, where the embedded ClickHouse does not run", async () => {
  const run = clone.start({ onlyToRun: true, machine: { arch: "arm64" } });

  expect(await run.ended).toEqual([1, null]);
  expect(run.output()).toMatch(
    /^The embedded ClickHouse runs on x64 .+ CLICKHOUSE_URL .+ Docker Compose .+arm64\.yaml\.\n$/,
  );
});
