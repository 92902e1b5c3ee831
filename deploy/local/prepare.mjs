// What `npm start` and `npm test` do before the pinned Node can take over. Runs on the machine's own Node (20 or
// newer) before anything is installed, so it is plain JavaScript and stands on nothing but Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { addressed } from "./addressed-lock.mjs";
import { alone } from "./single-instance.mjs";

export const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..");
/** npm installs the package of this machine's kind alone. Apple's silicon has another name there. */
const kind = `${process.platform}-${process.arch}`;
const nodePackage = kind === "darwin-arm64" ? `node-bin-${kind}` : `node-${kind}`;
export const pinnedNode = join(root, "node_modules", nodePackage, "bin/node");

/** Within the folder that npm replaces: it goes when an install begins, and comes when one succeeded. */
const installedMark = join(root, "node_modules/.sonde-installed");
const lockFile = join(root, ".setup.lock");

const patienceSeconds = 10;
const allSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Says one line and ends the process: for faults that a person can mend. */
export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/**
 * Installs the dependencies where what is installed is not what the lock file names, one start of this clone at a time.
 * `signals` break it off. npm's own marker is no proof: it is there also where two installs spoilt each other.
 * With `onlyToRun` what tests and development alone need is left out, a third of all.
 */
export async function install(signals = allSignals, { onlyToRun = false } = {}) {
  refuseUnusablePath();
  const isDone = () => isInstalled() || (onlyToRun && isInstalled({ onlyToRun }));
  if (isDone()) return;
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) giveUp(`Sonde needs Node 20 or newer to install; this is ${process.version}.`);
  await alone(lockFile, (begun) => isDone() || installNow({ onlyToRun }, signals, begun), sayWhoIsFirst);
}

/** npm downloads fifteen archives at once and keeps them in memory, over 1 GB; with less it takes one after the other. */
const plentyBytes = 2 * 2 ** 30;
/** What this machine has, or the cgroup that we run in. */
const memoryBytes = () => Math.min(totalmem(), process.constrainedMemory?.() || Infinity);

async function installNow(wish, signals, begun) {
  // Where everything was installed before, somebody works on Sonde.
  const onlyToRun = wish.onlyToRun && !hadEverything();
  const wanted = fingerprint({ onlyToRun });
  // Where only the rest is missing it is added: a Sonde may run from what is there, and `npm ci` would take that away.
  const command = isInstalled({ onlyToRun: true }) ? ["install", "--no-save"] : ["ci"];
  const which = onlyToRun ? ["--omit=dev"] : [];
  // On a Node of the machine's own: the pinned one lies in the folder that npm is about to replace.
  const sparing = memoryBytes() < plentyBytes ? ["--maxsockets=1"] : [];
  const [program, args] = npm([...command, ...which, ...sparing, "--no-audit", "--no-fund", "--loglevel=error"]);
  const title = "Installing dependencies (a few minutes the first time)";
  const run = (more, mayFail) => step(title, program, [...args, ...more], signals, begun, mayFail);
  // A registry with another layout answers that there is no such archive: then npm asks it for each address.
  const isDone = command[0] === "ci" && (await addressed(root, (more) => run(more, /\bE4\d\d\b/)));
  if (!isDone) await run([]);
  // npm takes no fault at what is for one kind of machine alone, be it that there is none or that it could not be fetched.
  if (!existsSync(pinnedNode)) giveUp(`${title} failed: npm brought no ${nodePackage}, the Node that Sonde runs on.`);
  writeFileSync(installedMark, wanted);
}

function isInstalled({ onlyToRun = false } = {}) {
  if (!existsSync(pinnedNode)) return false;
  if (existsSync(installedMark)) return readFileSync(installedMark, "utf8") === fingerprint({ onlyToRun });
  if (!isWhole({ onlyToRun })) return false;
  writeFileSync(installedMark, fingerprint({ onlyToRun }));
  return true;
}

/** Whether an install without our mark, by hand or by an earlier version, has every package that the lock file names. */
function isWhole({ onlyToRun }) {
  try {
    const wanted = Object.entries(packagesOf("package-lock.json")).filter(([path]) => path.startsWith("node_modules/"));
    const found = packagesOf("node_modules/.package-lock.json");
    return wanted.every(([path, { version, optional, devOptional, dev, link }]) => {
      const isSpare = optional || (onlyToRun && (dev || devOptional));
      if (link || (isSpare && !found[path])) return true;
      return found[path]?.version === version && readJson(join(path, "package.json")).version === version;
    });
  } catch {
    return false; // Something is not there, or only half.
  }
}

const packagesOf = (lock) => readJson(lock).packages;
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

const onlyToRunMark = " only to run";

const hadEverything = () => existsSync(installedMark) && !readFileSync(installedMark, "utf8").includes(onlyToRunMark);

/** What an install depends on: every package's version, the pinned Node's too, the machine's kind, and which packages. */
function fingerprint({ onlyToRun }) {
  const lock = readFileSync(join(root, "package-lock.json"));
  const which = onlyToRun ? onlyToRunMark : "";
  return `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}${which}\n`;
}

/** Builds the web app when one of its sources is newer than what was built, one start of this clone at a time. */
export async function buildWeb(signals = allSignals) {
  if (!isBuilt()) await alone(lockFile, (begun) => isBuilt() || buildNow(signals, begun), sayWhoIsFirst);
}

/** Beside the old one, so that a gateway that runs, or a build that is broken off, never meets half of it. */
async function buildNow(signals, begun) {
  const [built, draft, old] = ["dist", ".dist-new", ".dist-old"].map((name) => join(root, "web", name));
  for (const left of [draft, old]) rmSync(left, { recursive: true, force: true });
  const [program, args] = npm(["--workspace", "web", "run", "build", "--", "--outDir", draft]);
  await step("Building the web app", program, args, signals, begun);
  if (existsSync(built)) renameSync(built, old);
  renameSync(draft, built);
  rmSync(old, { recursive: true, force: true });
}

function isBuilt() {
  const sources = [
    "web/src",
    "web/build",
    "web/public",
    "web/index.html",
    "web/vite.config.ts",
    "proto/http",
    "package-lock.json",
  ];
  const newest = Math.max(...sources.map((path) => newestBelow(join(root, path))));
  return modifiedAt(join(root, "web/dist/index.html")) > newest;
}

const sayWhoIsFirst = (pid) => console.log(`Another start (process ${pid}) installs or builds here; waiting for it …`);

/** The web app's build takes paths for addresses, where these mean something else. */
function refuseUnusablePath() {
  const [found] = /[#%?]/.exec(root) ?? [];
  if (found) giveUp(`Sonde cannot be built in ${root}: move it to a folder without "${found}" in its path.`);
}

/**
 * Runs a program quietly, says that it still works, and shows what it wrote when it fails.
 * @param mayFail where what it wrote matches, the answer is false, and the caller goes on.
 */
export async function step(title, program, args, signals = allSignals, begun = () => {}, mayFail) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  console.log(`${title} …`);
  const still = setInterval(() => console.log(`  still at it, ${seconds()} s`), patienceSeconds * 1000);
  const { code, output } = await runWhole(program, args, signals, begun);
  clearInterval(still);
  if (code === 0) return true;
  if (mayFail?.test(output)) return false;
  console.error(output.trim());
  if (/ENOSPC|No space left/.test(output)) giveUp(`${title} failed: the disk is full.`);
  if (/EACCES|EPERM/.test(output)) giveUp(`${title} failed: this user may not write to ${root}.`);
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED/.test(output)) giveUp(`${title} failed: the network is away.`);
  giveUp(`${title} failed; the reason stands above.`);
}

/** Ctrl-C ends the program and all that it runs before us: an install that lingers would spoil the next one. */
async function runWhole(program, args, signals, begun) {
  let output = "";
  let interrupted = false;
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(program, args, { cwd: root, stdio, env: environment(), detached: true });
  if (child.pid) begun(child.pid);
  const interrupt = () => {
    interrupted = true;
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  };
  for (const signal of signals) process.once(signal, interrupt);
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((done) => {
    child.once("error", (fault) => {
      output += fault.message;
      done(1);
    });
    child.once("close", (exit) => done(exit ?? 1));
  });
  for (const signal of signals) process.off(signal, interrupt);
  if (interrupted) process.exit(130);
  return { code, output };
}

function npm(args) {
  const node = machineNode();
  const script = process.env.npm_execpath;
  return script?.endsWith(".js") ? [node, [script, ...args]] : ["npm", args];
}

/** Scripts of packages find the pinned Node first, as they do below `npm run`, and any other after it. */
function environment() {
  return { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) };
}

function machineNode() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const nodes = folders
    .filter((folder) => folder && !folder.includes("node_modules"))
    .map((path) => join(path, "node"));
  return nodes.find(existsSync) ?? process.execPath;
}

function newestBelow(path) {
  const own = modifiedAt(path);
  if (own === 0 || !statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
