import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { reasonOf } from "@sonde/kit/service/waiting";
import { StartupError } from "@sonde/kit/service/startup-error";

const run = promisify(execFile);
const toolsDir = resolve(import.meta.dirname, "../../../node_modules/.cache/sonde");
const programIn = (folder: string) => join(toolsDir, folder, "nats-server");
/** Minimum version of the downloaded server. Raise it to download a newer one at the next start. */
const wanted = "2.15";
const current = programIn(`nats-server-${wanted}`);
/** The package of this machine's Debian release, or a download of an earlier version of Sonde. */
const debians = programIn("");

const howToGetIt =
  "nats-server was not found. Install it (Debian and Ubuntu: `sudo apt-get install nats-server`; " +
  "others: https://nats.io/download), or set NATS_URL to a server that runs with JetStream.";

/**
 * Looks in PATH and the sbin folders (which an ordinary user's PATH lacks on Debian), then uses Debian's current
 * package from suite testing, an earlier download, or the package of this machine's release. Packages are unpacked into
 * our tools folder, not installed: that would start a second server, open to the network. apt verifies downloads with
 * Debian's keys.
 * @throws StartupError with instructions if none is available
 */
export async function findNatsServer(
  log: (line: string) => void = () => {},
  folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/usr/local/bin"],
): Promise<string> {
  for (const path of [...folders.filter(Boolean).map((folder) => join(folder, "nats-server")), current]) {
    if (await isExecutable(path)) return path;
  }
  try {
    log("Downloading nats-server (Debian's current package) …");
    await unpackDebianPackage(current, await sourcesOf("testing"));
    return current;
  } catch (error) {
    log(`Cannot fetch the current nats-server (${reasonOf(error)}).`);
  }
  try {
    return (await newestFetched()) ?? (await fetchDebianServer(log));
  } catch (cause) {
    throw new StartupError(howToGetIt, { cause });
  }
}

export async function fetchDebianServer(log: (line: string) => void = () => {}): Promise<string> {
  if (await isExecutable(debians)) return debians;
  log("Downloading nats-server (Debian's package) …");
  await unpackDebianPackage(debians);
  return debians;
}

async function newestFetched(): Promise<string | undefined> {
  const names = (await readdir(toolsDir).catch(() => [])).filter((name) => /^nats-server-[\d.]+$/.test(name));
  const [newest] = names.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return newest !== undefined && (await isExecutable(programIn(newest))) ? programIn(newest) : undefined;
}

/** apt sources (sources.list(5), deb822 style) for another suite of the archive. @throws Error if it is not Debian's */
async function sourcesOf(suite: string): Promise<string> {
  const { stdout } = await run("apt-get", ["indextargets", "--format", "$(REPO_URI)"]);
  const archive = stdout.split("\n").find((address) => /\/debian\/?$/.test(address));
  if (archive === undefined) throw new Error("this machine uses no Debian archive");
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  return `Types: deb\nURIs: ${archive}\nSuites: ${suite}\nComponents: main\nSigned-By: ${keys}\n`;
}

/** @throws Error if apt finds no package, or this machine cannot run the server in it */
async function unpackDebianPackage(target: string, sources?: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const work = await mkdtemp(join(toolsDir, "fetch-"));
  try {
    const ownSources = join(work, "debian.sources");
    if (sources !== undefined) await writeFile(ownSources, sources);
    const options = [
      // As root, apt would download as its own user, which cannot read a clone below /root.
      "APT::Sandbox::User=root",
      // Use separate package lists: an ordinary user may not refresh the machine's, and a bare machine has none.
      `Dir::State::Lists=${join(work, "lists")}`,
      `Dir::Cache=${join(work, "cache")}`,
      ...(sources === undefined ? [] : [`Dir::Etc::sourcelist=${ownSources}`, "Dir::Etc::sourceparts=-"]),
      // Fail quickly without a network; the start then continues with another server.
      "Acquire::Retries=0",
      "Acquire::http::Timeout=15",
      "Acquire::https::Timeout=15",
      "Acquire::Languages=none",
      "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
    ].flatMap((option) => ["-o", option]);
    await mkdir(join(work, "lists", "partial"), { recursive: true });
    const apt = (...args: string[]) => run("apt-get", ["-qq", ...options, ...args], { cwd: work });
    await apt("update");
    await apt("download", "nats-server");
    await run("sh", ["-c", "dpkg-deb -x nats-server_*.deb unpacked"], { cwd: work });
    const program = join(work, "unpacked/usr/sbin/nats-server");
    await run(program, ["--version"]);
    await rename(program, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
