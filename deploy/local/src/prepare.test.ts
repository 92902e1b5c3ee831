import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

// A clone with an npm that takes its time and notes what it is asked for.
let folder: string;
let clone: string;

const kind = `${process.platform}-${process.arch}`;
const pinned = `node_modules/${kind === "darwin-arm64" ? "node-bin" : "node"}-${kind}`;

const npm = `
  import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
  const say = (word) => appendFileSync("npm.log", word + "\\n");
  const [command, , , , , , outDir] = process.argv.slice(2);
  say("begin " + [command, ...process.argv.filter((word) => word === "--omit=dev")].join(" "));
  if (command === "ci") rmSync("node_modules", { recursive: true, force: true });
  while (existsSync("hold")) await new Promise((resolve) => setTimeout(resolve, 20));
  if (existsSync("fail")) process.exit(1);
  if (command === "ci" || command === "install") {
    if (existsSync("npm-shrinkwrap.json")) {
      say("knows " + Object.values(JSON.parse(readFileSync("npm-shrinkwrap.json", "utf8")).packages).map(({ resolved }) => resolved));
      if (existsSync("odd-registry")) {
        console.error("npm error code E404");
        process.exit(1);
      }
    }
    if (existsSync("no-node")) process.exit(0);
    mkdirSync("${pinned}/bin", { recursive: true });
    writeFileSync("${pinned}/bin/node", "");
    writeFileSync("node_modules/.package-lock.json", "{}");
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
  for (const file of ["prepare.mjs", "addressed-lock.mjs", "single-instance.mjs"]) {
    await cp(resolve(import.meta.dirname, "..", file), join(made, "deploy/local", file));
  }
  await writeFile(join(made, "package-lock.json"), "{}");
  await writeFile(join(made, "npm-cli.js"), npm);
  await writeFile(join(made, "package.json"), '{"type":"module"}');
  return made;
}

/** A start: installs and builds. Its standard output as it comes. */
function start(
  where = clone,
  first = "",
  options = "{}",
): { process: ChildProcess; said: () => string; ended: Promise<unknown[]> } {
  const script = `${first}; const { install, buildWeb } = await import("./deploy/local/prepare.mjs"); await install(undefined, ${options}); await buildWeb();`;
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
  const onlyToRun = "{ onlyToRun: true }";
  await start(clone, "", onlyToRun).ended;
  await start(clone, "", onlyToRun).ended;
  expect(await log()).toBe(whole.replace("begin ci", "begin ci --omit=dev"));
  await writeFile(join(clone, "node_modules/kept"), "");

  await start().ended;
  await start(clone, "", onlyToRun).ended;

  expect((await log()).split("\n").slice(4, -1)).toEqual(["begin install", "end install"]);
  await readFile(join(clone, "node_modules/kept"));
});

it("leaves nothing out of an install that had everything before", async () => {
  await start().ended;
  await writeFile(join(clone, "package-lock.json"), '{"other":1}');
  await start(clone, "", "{ onlyToRun: true }").ended;
  expect(await log()).toBe(whole + whole);
});

it("does nothing where all is there, and installs anew where the lock file changed", async () => {
  await start().ended;
  await start().ended;
  expect(await log()).toBe(whole);

  await writeFile(join(clone, "package-lock.json"), '{"other":1}');
  await start().ended;

  expect(await log()).toBe(whole + whole);
});

it("installs anew what was broken off, though npm's own marker is there, and takes over a dead start's lock", async () => {
  await writeFile(join(clone, "hold"), "");
  const killed = start();
  await expect.poll(log).toContain("begin ci");
  killed.process.kill("SIGKILL");
  await killed.ended;
  await mkdir(join(clone, pinned, "bin"), { recursive: true });
  for (const file of [`${pinned}/bin/node`, "node_modules/.package-lock.json"]) await writeFile(join(clone, file), "");
  const next = start();
  await expect.poll(log).toBe("begin ci\nbegin ci\n");
  await rm(join(clone, "hold"));

  expect(await next.ended).toEqual([0, null]);

  // The npm of the killed start was ended, and never went on beside ours.
  expect(await log()).toBe(`begin ci\n${whole}`);
});

it("takes an install by hand for whole only where every package is there in its version", async () => {
  const packages = { "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "2.0.0", optional: true } };
  const put = async (path: string, content: unknown) => {
    await mkdir(join(clone, path, ".."), { recursive: true });
    await writeFile(join(clone, path), JSON.stringify(content));
  };
  await put("package-lock.json", { packages });
  await put(`${pinned}/bin/node`, "");
  await put("node_modules/.package-lock.json", { packages: { "node_modules/a": { version: "1.0.0" } } });
  await put("node_modules/a/package.json", { version: "1.0.0" });
  await start().ended;
  expect(await log()).toBe("begin --workspace\nend --workspace\n");

  await rm(join(clone, "node_modules/.sonde-installed"));
  await rm(join(clone, "node_modules/a/package.json"));
  await start().ended;

  expect(await log()).toContain("begin ci");
});

it("says so where an install fails, and tries again at the next start", async () => {
  await writeFile(join(clone, "fail"), "");
  const failing = start();
  expect(await failing.ended).toEqual([1, null]);
  expect(failing.said()).toContain("Installing dependencies (a few minutes the first time) failed");
  await rm(join(clone, "fail"));

  expect(await start().ended).toEqual([0, null]);
});

it.each(["with#hash", "50%"])("says at once that it cannot be built in a folder named %s", async (name) => {
  const odd = await makeClone(name);

  const run = start(odd);

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/^Sonde cannot be built in .+: move it to a folder without "[#%]" in its path\.\n$/);
});

it("locks on a disk without hard links too, and takes over a lock that was never written to its end", async () => {
  const withoutLinks = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    fs.linkSync = () => { throw Object.assign(new Error("no links"), { code: "EPERM" }); };
    syncBuiltinESMExports();`;
  await writeFile(join(clone, ".setup.lock"), "");
  await utimes(join(clone, ".setup.lock"), 0, 0);

  const [first, second] = [start(clone, withoutLinks), start(clone, withoutLinks)];

  expect(await first.ended).toEqual([0, null]);
  expect(await second.ended).toEqual([0, null]);
  expect(await log()).toBe(whole);
});

const lockOf = (packages: object) => writeFile(join(clone, "package-lock.json"), JSON.stringify({ packages }));

it("tells npm where archives lie, so that it asks the registry about no package, and leaves no trace of it", async () => {
  await lockOf({
    "": { name: "sonde" },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/b/node_modules/@c/d": { version: "2.0.0", integrity: "sha512-d" },
    "node_modules/e": { name: "f", version: "3.0.0", integrity: "sha512-f" },
    "node_modules/@sonde/g": { resolved: "services/g", link: true },
  });

  expect(await start().ended).toEqual([0, null]);

  const addresses = ["a/-/a-1.0.0.tgz", "@c/d/-/d-2.0.0.tgz", "f/-/f-3.0.0.tgz"].map(
    (path) => `https://registry.invalid/${path}`,
  );
  expect(await log()).toContain(`knows ,${addresses.join(",")},services/g\n`);
  expect(await readdir(clone)).not.toContain("npm-shrinkwrap.json");
});

it("lets npm ask where the registry has another layout", async () => {
  await lockOf({ "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } });
  await writeFile(join(clone, "odd-registry"), "");

  const run = start();

  expect(await run.ended).toEqual([0, null]);
  expect((await log()).match(/^begin ci$/gm)).toHaveLength(2);
  expect(run.said()).not.toContain("failed");
});

it("says so where npm brings no Node for this machine", async () => {
  await writeFile(join(clone, "no-node"), "");

  const run = start();

  expect(await run.ended).toEqual([1, null]);
  expect(run.said()).toMatch(/npm brought no node-\S+, the Node that Sonde runs on\.\n$/);
});
