// Prepares a clone before the pinned Node can take over: installs dependencies, bundles the services, builds the web app and
// the documentation.
//   node prepare.mjs                what `npm start` needs
//   node prepare.mjs backup …       what a subcommand of `npm start` needs: no web app
//   node prepare.mjs --dev          what development needs: every package, and nothing built
// Runs on the machine's own Node before anything is installed: plain JavaScript that Node 14 can parse, so that an old
// Node gets a sentence instead of a stack trace.
import { createHash } from "node:crypto";
// `statfsSync` is newer than Node 14 and would fail as a named import.
import fs, {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, giveUp, isArm, modifiedAt, newestBelow, npm, pinnedNode, root, step } from "./steps.mjs";

const ownList = join(root, "package-lock.json");
/** Written by npm at the end of an installation. */
const npmList = join(root, "node_modules/.package-lock.json");

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
        "Set CLICKHOUSE_URL to a ClickHouse server, or use Docker Compose with deploy/compose/arm64.yaml.",
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

/** Folders named by when their build started, in ms since 1970, and `current`, a link to the last one that succeeded. */
const bundles = join(root, "deploy/local/dist");
const currentBundle = join(bundles, "current");
const bundledSources = [
  "agent/build",
  "agent/src",
  "deploy/backup/src",
  "deploy/bundle/src",
  "deploy/local/src",
  "packages",
  "proto",
  "services",
  "package-lock.json",
];

/** Bundles what `npm start` runs when one of its sources changed. A Sonde that runs keeps the bundle it was started from. */
export async function bundle() {
  if (!isBundled()) await alone(async () => isBundled() || (await bundleNow()));
}

async function bundleNow() {
  const name = String(Date.now());
  const old = existsSync(currentBundle) ? readlinkSync(currentBundle) : undefined;
  const args = [join(root, "deploy/bundle/src/local.ts"), join(bundles, name)];
  const isDone = await step("Bundling the services", pinnedNode, args, { hasLast: old !== undefined });
  if (isDone) {
    rmSync(`${currentBundle}.new`, { force: true });
    symlinkSync(name, `${currentBundle}.new`);
    renameSync(`${currentBundle}.new`, currentBundle);
  }
  const kept = ["current", old, isDone ? name : undefined];
  for (const left of readdirSync(bundles))
    if (!kept.includes(left)) rmSync(join(bundles, left), { recursive: true, force: true });
}

function isBundled() {
  if (!existsSync(join(currentBundle, "main.js"))) return false;
  const startedAtMs = Number(readlinkSync(currentBundle));
  return bundledSources.every((path) => newestBelow(join(root, path)) < startedAtMs);
}

/** Beside the old one, so that a gateway that runs, or a build that is broken off, never meets half of it. */
async function buildNow({ title, workspace, folder, isSpare }) {
  const [built, draft, old] = ["dist", ".dist-new", ".dist-old"].map((name) => join(root, folder, name));
  for (const left of [draft, old]) rmSync(left, { recursive: true, force: true });
  const [program, args] = npm(["--workspace", workspace, "run", "build", "--", "--outDir", draft]);
  if (!(await step(title, program, args, { isSpare, hasLast: existsSync(built) }))) return;
  if (existsSync(built)) renameSync(built, old);
  renameSync(draft, built);
  rmSync(old, { recursive: true, force: true });
}

function isBuilt({ folder, sources }) {
  const newest = Math.max(...[...sources(), "package-lock.json"].map((path) => newestBelow(join(root, path))));
  return modifiedAt(join(root, folder, "dist/index.html")) > newest;
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  // Sonde starts also where its output is no longer read.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  if (process.argv.includes("--outlive-hang-up")) process.on("SIGHUP", () => {});
  const isDevelopment = process.argv.includes("--dev");
  // Subcommands that serve nothing; some run next to a Sonde that is up.
  const isWord = ["backup", "restore", "recover-admin"].includes(process.argv[2]);
  await install({ onlyToRun: !isDevelopment });
  if (!isDevelopment) await bundle();
  const shortage = memoryShortage();
  if (shortage !== undefined && !isWord) console.error(`${shortage} The start may take minutes or fail.`);
  if (!isDevelopment && !isWord) {
    await buildWeb();
    await buildDocs({ isSpare: true });
  }
}
