// Prepares a clone: installs dependencies, bundles the services, builds the web app and the documentation.
//   node prepare.mjs                for `npm start`
//   node prepare.mjs backup …       for a subcommand of `npm start`: without web app and documentation
//   node prepare.mjs --dev          for development: installs all packages, builds nothing
// Runs on the machine's Node, because the pinned one may not be installed yet. It is JavaScript that Node 14 can parse, so
// an old Node reports a sentence instead of a stack trace.
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
import { giveUp, isArm, newestBelow, npm, pinnedNode, root, step, withLock } from "./steps.mjs";

const ownList = join(root, "package-lock.json");
/** npm writes it at the end of an installation. */
const npmList = join(root, "node_modules/.package-lock.json");

/** With `onlyToRun`, skips packages that only tests and development need. */
export async function install({ onlyToRun = false } = {}) {
  // Vite treats paths as URLs, in which these characters are special.
  const [unusable] = /[#%?]/.exec(root) ?? [];
  if (unusable) giveUp(`Sonde cannot be built in ${root}: move it to a folder without "${unusable}" in its path.`);
  const scope = { onlyToRun: onlyToRun && !existsSync(join(root, "node_modules/vitest")) };
  const isDone = () => isInstalled({ onlyToRun });
  if (isDone()) return;
  requireMachine({ onlyToRun });
  await withLock(async () => isDone() || (await installNow(scope)));
}

const mib = 2 ** 20;
/** README.md and docs/installing.md ask for 1 GiB and 3 GB. A machine sold with 1 GiB has a little less. */
const minimumMemoryMib = 640;
const minimumDiskMb = 3_000;
/** npm buffers 15 parallel downloads, over 1 GB. With less memory than this it downloads one at a time. */
const plentyMib = 2_048;

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

function memoryShortage() {
  const has = memoryMib();
  if (has >= minimumMemoryMib) return undefined;
  return `Sonde needs 1 GiB of memory; this machine or container has ${has} MiB.`;
}

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
  const neededMb = existsSync(npmList) ? minimumDiskMb / 2 : minimumDiskMb;
  if (freeMb < neededMb)
    giveUp(
      `Sonde needs ${neededMb / 1_000} GB of free disk space to install; ${root} has ${(freeMb / 1_000).toFixed(1)} GB.`,
    );
}

async function installNow({ onlyToRun }) {
  // A Sonde may be running from this installation, so packages are added. `npm ci` would delete all of them first.
  const command = isInstalled({ onlyToRun: true }) ? ["install", "--no-save"] : ["ci"];
  // These two workspaces depend on everything that a start needs.
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
  // An older Node installed the pinned one, which can install the packages that need a newer Node.
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

/** Contains the hash of the lock file after an installation with `onlyToRun`. */
const runnableMark = join(root, "node_modules/.sonde-runnable");
const lockHash = () => createHash("sha256").update(readFileSync(ownList)).digest("hex");

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

/** `main` is a file that every complete build contains. */
const parts = {
  services: {
    title: "Bundling the services",
    main: "main.js",
    sources: () => [
      "agent/build",
      "agent/src",
      "deploy/backup/src",
      "deploy/bundle/src",
      "deploy/local/src",
      "packages",
      "proto",
      "services",
    ],
    command: (into) => [pinnedNode, [join(root, "deploy/bundle/src/local.ts"), into]],
  },
  web: {
    title: "Building the web app",
    main: "index.html",
    sources: () => [
      "web/src",
      "web/build",
      "web/public",
      "web/index.html",
      "web/vite.config.ts",
      "cli/src",
      "cli/build.ts",
      "packages/import/src",
      // It contains the runner for other machines.
      "deploy/bundle/src",
      "services/probe-runner",
      "services/domain/src",
      "services/kit/src",
      "proto",
    ],
    command: (into) => npm(["--workspace", "web", "run", "build", "--", "--outDir", into]),
  },
  docs: {
    title: "Building the documentation",
    main: "index.html",
    // Not the whole folders, because a build writes to them.
    sources: () =>
      ["docs", "docs/.vitepress"]
        .filter((folder) => existsSync(join(root, folder)))
        .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
        .filter((path) => !/\/(?:\.vitepress|\.?dist[\w-]*|\.temp|cache|adr|node_modules)$/.test(path)),
    command: (into) => npm(["--workspace", "docs", "run", "build", "--", "--outDir", into]),
  },
};

/** Per part, a folder for each build, named after its start (ms since 1970), and a link `current` to the last one. */
const builds = join(root, "deploy/local/dist");

/**
 * Builds a part if one of its sources changed. Keeps the previous build, which a running Sonde may be using.
 * With `isSpare`, Sonde starts even if the build fails.
 */
export async function build(name, { isSpare = false } = {}) {
  if (!isBuilt(name)) await withLock(async () => isBuilt(name) || (await buildNow(name, isSpare)));
}

async function buildNow(name, isSpare) {
  const { title, command } = parts[name];
  const folder = join(builds, name);
  const started = String(Date.now());
  const previous = currentBuild(name);
  const remove = (isLeft) => {
    for (const left of existsSync(folder) ? readdirSync(folder).filter(isLeft) : [])
      rmSync(join(folder, left), { recursive: true, force: true });
  };
  const isUnfinished = (left) => Number(left) > Number(previous ?? 0);
  remove(isUnfinished);
  const [program, args] = command(join(folder, started));
  if (!(await step(title, program, args, { isSpare, hasLast: previous !== undefined }))) return remove(isUnfinished);
  const draft = join(folder, "current.new");
  rmSync(draft, { force: true });
  symlinkSync(started, draft);
  renameSync(draft, join(folder, "current"));
  remove((left) => !["current", started, previous].includes(left));
}

function currentBuild(name) {
  const link = join(builds, name, "current");
  return existsSync(join(link, parts[name].main)) ? readlinkSync(link) : undefined;
}

function isBuilt(name) {
  const startedAtMs = Number(currentBuild(name) ?? 0);
  return [...parts[name].sources(), "package-lock.json"].every((path) => newestBelow(join(root, path)) < startedAtMs);
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  // Start even if the output is no longer read.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  if (process.argv.includes("--outlive-hang-up")) process.on("SIGHUP", () => {});
  const isDevelopment = process.argv.includes("--dev");
  // Subcommands do not need the web app. Some run next to a running Sonde.
  const isSubcommand = ["backup", "restore", "recover-admin"].includes(process.argv[2]);
  await install({ onlyToRun: !isDevelopment });
  if (!isDevelopment) await build("services");
  const shortage = memoryShortage();
  if (shortage !== undefined && !isSubcommand) console.error(`${shortage} The start may take minutes or fail.`);
  if (!isDevelopment && !isSubcommand) {
    await build("web");
    await build("docs", { isSpare: true });
  }
}
