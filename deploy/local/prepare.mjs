// What comes before the pinned Node can take over: installing dependencies, building the web app and the documentation. As a program:
//   node prepare.mjs                what `npm start` needs
//   node prepare.mjs backup …       what a word of `npm start` needs: no web app
//   node prepare.mjs --dev          what development needs: every package, and no web app, which Vite serves from its sources
// Runs on the machine's own Node (20 or newer) before anything is installed, so it is plain JavaScript and imports
// nothing but Node's modules.
import { spawn } from "node:child_process";
import {
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
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..");
/** npm installs the package of this machine's platform alone. Apple silicon has another name there. */
const platform = `${process.platform}-${process.arch}`;
const nodePackage = platform === "darwin-arm64" ? `node-bin-${platform}` : `node-${platform}`;
export const pinnedNode = join(root, "node_modules", nodePackage, "bin/node");

const lockFile = join(root, ".setup.lock");
const progressEveryMs = 10_000;

/** Prints one line and ends the process: for faults that a person can mend. */
export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/**
 * Installs the dependencies where what is installed is not what the lock file names.
 * With `onlyToRun`, what tests and development alone need is left out, a third of all.
 */
export async function install({ onlyToRun = false } = {}) {
  // The web app's build takes paths for addresses, where these characters have a meaning.
  const [unusable] = /[#%?]/.exec(root) ?? [];
  if (unusable) giveUp(`Sonde cannot be built in ${root}: move it to a folder without "${unusable}" in its path.`);
  // A clone that had everything before is one to develop in.
  const wish = { onlyToRun: onlyToRun && !existsSync(join(root, "node_modules/vitest")) };
  const isDone = () => isInstalled({ onlyToRun });
  if (isDone()) return;
  if (Number.parseInt(process.versions.node) < 20)
    giveUp(`Sonde needs Node 20 or newer to install; this is ${process.version}.`);
  await alone(async () => isDone() || (await installNow(wish)));
}

/** npm downloads fifteen archives at once and keeps them in memory, over 1 GB; with less it takes one after the other. */
const plentyBytes = 2 * 2 ** 30;
/** What this machine has, or the cgroup that we run in. */
const memoryBytes = () => Math.min(totalmem(), process.constrainedMemory?.() || Infinity);

async function installNow({ onlyToRun }) {
  // If only the rest is missing it is added: a Sonde may run from the installed packages, which `npm ci` would remove.
  const command = isInstalled({ onlyToRun: true }) ? ["install", "--no-save"] : ["ci"];
  const which = onlyToRun ? ["--omit=dev"] : [];
  const sparing = memoryBytes() < plentyBytes ? ["--maxsockets=1"] : [];
  const title = "Installing dependencies (a few minutes the first time)";
  await step(title, ...npm([...command, ...which, ...sparing, "--no-audit", "--no-fund", "--loglevel=error"]));
  // npm reports no fault where an optional package is missing or could not be fetched.
  if (!existsSync(pinnedNode)) giveUp(`${title} failed: npm brought no ${nodePackage}, the Node that Sonde runs on.`);
}

/** Whether each package of the lock file is there in its version: npm writes a list of them when an install succeeded. */
function isInstalled({ onlyToRun }) {
  try {
    const wanted = Object.entries(packagesOf("package-lock.json")).filter(([path]) => path.startsWith("node_modules/"));
    const found = packagesOf("node_modules/.package-lock.json");
    const isSpare = ({ optional, dev, devOptional }) => optional || (onlyToRun && (dev || devOptional));
    return (
      existsSync(pinnedNode) &&
      wanted.every(([path, entry]) => {
        if (entry.link || (isSpare(entry) && !found[path])) return true;
        return found[path]?.version === entry.version;
      })
    );
  } catch {
    return false; // Nothing is installed, or not to the end.
  }
}

const packagesOf = (lock) => JSON.parse(readFileSync(join(root, lock), "utf8")).packages ?? {};

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
  for (let reported = false; !takeLock(); await sleep(100)) {
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
 * Runs a program quietly, reports that it still works, and shows its output when it fails: then this process ends, unless
 * the work can be spared.
 * @returns whether it succeeded
 */
export async function step(title, program, args, { isSpare = false } = {}) {
  const startedAt = Date.now();
  console.log(`${title} …`);
  const progress = setInterval(
    () => console.log(`  still at it, ${Math.round((Date.now() - startedAt) / 1000)} s`),
    progressEveryMs,
  );
  const { code, output } = await run(program, args);
  clearInterval(progress);
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
    // Scripts of packages find the pinned Node first, as they do below `npm run`.
    env: { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) },
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

/** npm on the machine's own Node: the pinned one is in the folder that npm may be about to replace. */
function npm(args) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((path) => path && !path.includes("node_modules"));
  const node = folders.map((path) => join(path, "node")).find(existsSync) ?? process.execPath;
  const script = process.env.npm_execpath;
  return script?.endsWith(".js") ? [node, [script, ...args]] : ["npm", args];
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
  // Words that serve nothing, some of them beside a Sonde that runs.
  const isWord = ["backup", "restore", "recover-admin"].includes(process.argv[2]);
  await install({ onlyToRun: !isDevelopment });
  if (!isDevelopment && !isWord) {
    await buildWeb();
    await buildDocs({ isSpare: true });
  }
}
