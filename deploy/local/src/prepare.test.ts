import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

// A clone with a slow npm that records its arguments.
let folder: string;
let clone: string;

/** A lock file with one package to run, one to develop, one that may be missing, and workspaces. */
const lock = (version: string, workspaces: readonly string[] = []) =>
  JSON.stringify({
    packages: {
      "": {},
      ...Object.fromEntries(workspaces.map((name) => [`node_modules/${name}`, { resolved: name, link: true }])),
      "node_modules/koa": { version },
      "node_modules/vitest": { version, dev: true },
      "node_modules/fsevents": { version, optional: true, os: ["darwin"] },
      [bindings]: { version, optional: true, os: ["linux"], cpu: [process.arch] },
    },
  });
const pinned = `node_modules/node-linux-${process.arch}`;
const bindings = "node_modules/@rolldown/binding-linux";

const npm = `
  import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
  const say = (word) => appendFileSync("npm.log", word + "\\n");
  const [command, , , , , , outDir] = process.argv.slice(2);
  say("begin " + [command, ...process.argv.filter((word) => word === "--omit=dev")].join(" "));
  if (command === "ci") rmSync("node_modules", { recursive: true, force: true });
  while (existsSync("hold")) await new Promise((resolve) => setTimeout(resolve, 20));
  if (existsSync("fail")) process.exit(1);
  if (existsSync("ends-early")) process.exit(0);
  if (command === "ci" || command === "install") {
    mkdirSync("${pinned}/bin", { recursive: true });
    if (!existsSync("${pinned}/bin/node")) symlinkSync("${process.execPath}", "${pinned}/bin/node");
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    if (process.argv.includes("--omit=dev")) delete packages["node_modules/vitest"];
    else mkdirSync("node_modules/vitest", { recursive: true });
    for (const [path, { link, resolved }] of Object.entries(packages))
      if (link && !existsSync(path)) symlinkSync("../" + resolved, path);
    const isRefused = existsSync("needs-newer-node") && !process.argv0.endsWith("${pinned}/bin/node");
    if (isRefused || existsSync("offline")) delete packages["${bindings}"];
    writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
  } else {
    mkdirSync(outDir, { recursive: true });
    writeFileSync(outDir + "/index.html", "built");
  }
  say("end " + command);`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-prepare-"));
  clone = await makeClone("clone");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function makeClone(name: string): Promise<string> {
  const made = join(folder, name);
  await mkdir(join(made, "deploy/local"), { recursive: true });
  await mkdir(join(made, "web/src"), { recursive: true });
  for (const name of ["prepare.mjs", "steps.mjs"])
    await cp(resolve(import.meta.dirname, "..", name), join(made, "deploy/local", name));
  await writeFile(join(made, "package-lock.json"), lock("1.0.0"));
  await writeFile(join(made, "npm-cli.js"), npm);
  await writeFile(join(made, "package.json"), '{"type":"module"}');
  return made;
}

/** A start: installs and builds. Its standard output as it comes. */
function start(
  where = clone,
  onlyToRun = false,
  then = "buildWeb",
  options = "",
  machine: object = {},
  before = "",
): { process: ChildProcess; said: () => string; ended: Promise<unknown[]> } {
  const own = `for (const [name, value] of Object.entries({ ${Object.entries(machine)
    .map(([name, value]) => `${name}: ${typeof value === "function" ? String(value) : JSON.stringify(value)}`)
    .join(", ")} })) Object.defineProperty(process, name, { value });`;
  const script = `${own} ${before} const { install, ${then} } = await import("./deploy/local/prepare.mjs"); await install({ onlyToRun: ${onlyToRun} }); await ${then}(${options});`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: where,
    env: { PATH: process.env.PATH, npm_execpath: join(where, "npm-cli.js") },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { process: child, said: () => output, ended: once(child, "close") };
}
const log = () => readFile(join(clone, "npm.log"), "utf8").catch(() => "");
const whole = "begin ci\nend ci\nbegin --workspace\nend --workspace\n";

it("installs and builds once for two starts at once, and the second says whom it waits for", async () => {
  await writeFile(join(clone, "hold"), "");
  const first = start();
  await expect.poll(log).toContain("begin ci");
  const second = start();
  await expect
    .poll(second.said)
    .toBe(`Another start (process ${first.process.pid}) installs or builds here; waiting for it …\n`);
  await rm(join(clone, "hold"));

  expect(await first.ended).toEqual([0, null]);
  expect(await second.ended).toEqual([0, null]);

  expect(await log()).toBe(whole);
  expect(await readFile(join(clone, "web/dist/index.html"), "utf8")).toBe("built");
});

it("leaves out what only development needs, which is added later without taking away what is there", async () => {
  await start(clone, true).ended;
  await start(clone, true).ended;
  expect(await log()).toBe(whole.replace("begin ci", "begin ci --omit=dev"));
  await writeFile(join(clone, "node_modules/kept"), "");

  await start().ended;
  await start(clone, true).ended;

  expect((await log()).split("\n").slice(4, -1)).toEqual(["begin install", "end install"]);
  await readFile(join(clone, "node_modules/kept"));
});

it("leaves nothing out of an install that had everything before", async () => {
  await start().ended;
  await writeFile(join(clone, "package-lock.json"), lock("2.0.0"));
  await start(clone, true).ended;
  expect(await log()).toBe(whole + whole);
});

it("does nothing where all is there, and installs anew where the lock file changed", async () => {
  await start().ended;
  await start().ended;
  expect(await log()).toBe(whole);

  await writeFile(join(clone, "package-lock.json"), lock("2.0.0"));
  await start().ended;

  expect(await log()).toBe(whole + whole);
});

it("installs again when a workspace was added, since its link is missing", async () => {
  await mkdir(join(clone, "first"));
  await writeFile(join(clone, "package-lock.json"), lock("1.0.0", ["first"]));
  await start().ended;
  await start().ended;
  expect(await log()).toBe(whole);

  await mkdir(join(clone, "second"));
  await writeFile(join(clone, "package-lock.json"), lock("1.0.0", ["first", "second"]));
  await start().ended;

  expect(await log()).toBe(whole + whole);
});

it("builds the documentation again once a page changed, and not for what its own build wrote", async () => {
  await mkdir(join(clone, "docs/.vitepress"), { recursive: true });
  await writeFile(join(clone, "docs/index.md"), "# Sonde");
  const builds = async () => (await log()).split("\n").filter((line) => line === "begin --workspace").length;
  for (const _ of [1, 2]) await start(clone, true, "buildDocs").ended;
  expect([await builds(), await readFile(join(clone, "docs/.vitepress/dist/index.html"), "utf8")]).toEqual([
    1,
    "built",
  ]);

  await writeFile(join(clone, "docs/index.md"), "# Sonde, changed");
  await start(clone, true, "buildDocs").ended;

  expect(await builds()).toBe(2);
});

it("starts with the documentation of before where its build fails", async () => {
  await start(clone, true, "buildDocs").ended;
  await writeFile(join(clone, "fail"), "");
  await utimes(join(clone, "package-lock.json"), 2e9, 2e9);

  const spare = start(clone, true, "buildDocs", "{ isSpare: true }");

  expect(await spare.ended).toEqual([0, null]);
  expect(spare.said()).toContain("Building the documentation failed; Sonde starts without it.");
  expect(await readFile(join(clone, "docs/.vitepress/dist/index.html"), "utf8")).toBe("built");
});

const bundler = (work: string) => `
  import { mkdirSync, writeFileSync } from "node:fs";
  const [, , into] = process.argv;
  mkdirSync(into, { recursive: true });
  ${work}
  writeFileSync(into + "/main.js", "bundled");`;
const bundles = async () => {
  const names = (await readdir(join(clone, "deploy/local/dist"))).toSorted();
  return { names, current: await readlink(join(clone, "deploy/local/dist/current")) };
};
async function makeBundler(work = ""): Promise<void> {
  await mkdir(join(clone, "deploy/bundle/src"), { recursive: true });
  await writeFile(join(clone, "deploy/bundle/src/local.ts"), bundler(work));
}

it("bundles again once a source changed, and keeps the bundle of a Sonde that may run", async () => {
  await makeBundler();
  await mkdir(join(clone, "services"));
  for (const _ of [1, 2]) await start(clone, true, "bundle").ended;
  const first = await bundles();
  expect(first.names).toEqual([first.current, "current"]);

  await writeFile(join(clone, "services/main.ts"), "changed");
  await start(clone, true, "bundle").ended;
  const second = await bundles();
  expect(second.names).toEqual([first.current, second.current, "current"]);

  await writeFile(join(clone, "services/main.ts"), "changed again");
  await start(clone, true, "bundle").ended;
  const third = await bundles();
  expect(third.names).toEqual([second.current, third.current, "current"]);
});

it("shows why bundling failed, and starts with the last bundle only if the disk is full", async () => {
  await makeBundler();
  await start(clone, true, "bundle").ended;
  const last = await bundles();

  await makeBundler('throw new Error("services/auth/src/main.ts:1:6: expected identifier");');
  const broken = start(clone, true, "bundle");
  expect(await broken.ended).toEqual([1, null]);
  expect(broken.said()).toContain("services/auth/src/main.ts:1:6: expected identifier");
  expect((await bundles()).current).toBe(last.current);

  await makeBundler('throw new Error("write: no space left on device");');
  const full = start(clone, true, "bundle");
  expect(await full.ended).toEqual([0, null]);
  expect(full.said()).toContain("the disk is full. Sonde starts with the last version that was built.");
  expect(await bundles()).toEqual(last);
});

it("waits for the npm of a start that was killed, and installs anew what was broken off", async () => {
  await writeFile(join(clone, "hold"), "");
  const killed = start();
  await expect.poll(log).toContain("begin ci");
  killed.process.kill("SIGKILL");
  await killed.ended;
  const next = start();
  await expect.poll(next.said).toContain("waiting for it");
  await writeFile(join(clone, "fail"), "");
  await rm(join(clone, "hold"));
  await expect.poll(log).toBe("begin ci\nbegin ci\n");
  expect(await next.ended).toEqual([1, null]);
  await rm(join(clone, "fail"));

  expect(await start().ended).toEqual([0, null]);

  expect(await log()).toBe(`begin ci\nbegin ci\n${whole}`);
});

it("ends its npm when it is stopped, or when the shell that runs it has ended", async () => {
  await writeFile(join(clone, "hold"), "");
  const stopped = start();
  await expect.poll(log).toBe("begin ci\n");
  stopped.process.kill("SIGTERM");
  expect(await stopped.ended).toEqual([130, null]);

  const script = 'import("./deploy/local/prepare.mjs").then(({ install }) => install())';
  const shell = spawn("sh", ["-c", `"${process.execPath}" -e '${script}'; true`], {
    cwd: clone,
    env: { PATH: process.env.PATH, npm_execpath: join(clone, "npm-cli.js") },
  });
  const closed = once(shell.stdout, "close"); // Of the last process that holds it.
  shell.stdout.resume();
  await expect.poll(log).toBe("begin ci\nbegin ci\n");
  shell.kill("SIGTERM");
  await closed;

  await rm(join(clone, "hold"));
  expect(await start().ended).toEqual([0, null]);
  expect(await log()).toBe(`begin ci\nbegin ci\n${whole}`);
});

it("takes an install by hand where every package is there in its version", async () => {
  await mkdir(join(clone, pinned, "bin"), { recursive: true });
  await symlink(process.execPath, join(clone, pinned, "bin/node"));
  const byHand = (version: string) => writeFile(join(clone, "node_modules/.package-lock.json"), lock(version));
  await byHand("1.0.0");
  await start().ended;
  expect(await log()).toBe("begin --workspace\nend --workspace\n");

  await byHand("0.9.0");
  await start().ended;

  expect(await log()).toContain("begin ci");
});

it("says so where an install fails, and tries again at the next start", async () => {
  await writeFile(join(clone, "fail"), "");
  const failing = start();
  expect(await failing.ended).toEqual([1, null]);
  expect(failing.said()).toMatch(/Installing dependencies \(.+\) failed/);
  await rm(join(clone, "fail"));

  expect(await start().ended).toEqual([0, null]);
});

it.each(["with#hash", "50%"])("says at once that it cannot be built in a folder named %s", async (name) => {
  const odd = await makeClone(name);

  const run = start(odd);

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/^Sonde cannot be built in .+: move it to a folder without "[#%]" in its path\.\n$/);
});

it("takes over a lock that was never written to its end", async () => {
  await writeFile(join(clone, ".setup.lock"), "");
  await utimes(join(clone, ".setup.lock"), 0, 0);

  expect(await start().ended).toEqual([0, null]);

  expect(await log()).toBe(whole);
});

it("runs npm again on the pinned Node for packages that refuse the machine's own", async () => {
  await writeFile(join(clone, "needs-newer-node"), "");

  expect(await start(clone, true).ended).toEqual([0, null]);

  expect(await log()).toBe(
    "begin ci --omit=dev\nend ci\nbegin install --omit=dev\nend install\nbegin --workspace\nend --workspace\n",
  );
});

it("says so if npm ended early without an error", async () => {
  await writeFile(join(clone, "ends-early"), "");

  const run = start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/npm ended early\. Is its registry reachable\?\n$/);
});

it("names the packages that npm left out without an error", async () => {
  await writeFile(join(clone, "offline"), "");

  const run = start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/npm did not install @rolldown\/binding-linux\.\n$/);
});

it("installs again if packages for running were installed by another lock file", async () => {
  await start(clone, true).ended;
  const changed = JSON.parse(lock("1.0.0")) as { packages: Record<string, object> };
  changed.packages["node_modules/new"] = { version: "1.0.0" };
  await writeFile(join(clone, "package-lock.json"), JSON.stringify(changed));

  await start(clone, true).ended;

  expect((await log()).match(/begin ci/g)).toHaveLength(2);
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
  const run = start(clone, true, "buildWeb", "", machine);

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toContain(sentence);
  expect(run.said().trim().split("\n")).toHaveLength(1);
  expect(await log()).toBe("");
});

it("names the disk space that is missing before it downloads anything", async () => {
  const run = start(
    clone,
    true,
    "buildWeb",
    "",
    {},
    "(await import('node:fs')).default.statfsSync = () => ({ bavail: 1_200_000, bsize: 1_000 });",
  );

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/^Sonde needs 3 GB of free disk space to install; .+ has 1\.2 GB\.\n$/);
});

it("names the ways that work on arm64, where the embedded ClickHouse does not run", async () => {
  const run = start(clone, true, "buildWeb", "", { arch: "arm64" });

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(
    /^The embedded ClickHouse runs on x64 .+ CLICKHOUSE_URL .+ Docker Compose .+arm64\.yaml\.\n$/,
  );
});
