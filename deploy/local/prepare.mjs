// What `npm start` and `npm test` do before the pinned Node can take over. Runs on the machine's own Node (20 or
// newer) before anything is installed, so it is plain JavaScript and stands on nothing but Node.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

export const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
export const pinnedNode = join(root, "node_modules/node/bin/node");

const patienceSeconds = 10;
const allSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Says one line and ends the process: for faults that a person can mend. */
export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/** Installs the dependencies when the lock file is newer than what is installed. `signals` break it off. */
export async function install(signals = allSignals) {
  const lock = join(root, "package-lock.json");
  const installed = join(root, "node_modules/.package-lock.json");
  if (modifiedAt(installed) >= modifiedAt(lock) && existsSync(pinnedNode)) return;
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) giveUp(`Sonde needs Node 20 or newer to install; this is ${process.version}.`);
  // On a Node of the machine's own: the pinned one lies in the folder that npm is about to replace.
  const [program, args] = npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  await step("Installing dependencies (a few minutes the first time)", program, args, signals);
}

/** Builds the web app when one of its sources is newer than what was built. */
export async function buildWeb(signals = allSignals) {
  const sources = ["web/src", "web/public", "web/index.html", "web/vite.config.ts", "proto/http", "package-lock.json"];
  const newest = Math.max(...sources.map((path) => newestBelow(join(root, path))));
  if (modifiedAt(join(root, "web/dist/index.html")) > newest) return;
  const [program, args] = npm(["--workspace", "web", "run", "build"]);
  await step("Building the web app", program, args, signals);
}

/** Runs a program quietly, says that it still works, and shows what it wrote when it fails. */
export async function step(title, program, args, signals = allSignals) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  console.log(`${title} …`);
  const still = setInterval(() => console.log(`  still at it, ${seconds()} s`), patienceSeconds * 1000);
  const { code, output } = await runWhole(program, args, signals);
  clearInterval(still);
  if (code === 0) return;
  console.error(output.trim());
  if (/ENOSPC|No space left/.test(output)) giveUp(`${title} failed: the disk is full.`);
  if (/EACCES|EPERM/.test(output)) giveUp(`${title} failed: this user may not write to ${root}.`);
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED/.test(output)) giveUp(`${title} failed: the network is away.`);
  giveUp(`${title} failed; the reason stands above.`);
}

/** Ctrl-C ends the program and all that it runs before us: an install that lingers would spoil the next one. */
async function runWhole(program, args, signals) {
  let output = "";
  let interrupted = false;
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(program, args, { cwd: root, stdio, env: environment(), detached: true });
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
