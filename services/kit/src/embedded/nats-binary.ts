import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "./startup-error.ts";

const run = promisify(execFile);
const toolsDir = resolve(import.meta.dirname, "../../../../node_modules/.cache/sonde");

const howToGetIt =
  "nats-server was not found. Install it (Debian and Ubuntu: `sudo apt-get install nats-server`; " +
  "others: https://nats.io/download), or set NATS_URL to a server that runs with JetStream.";

/**
 * The path of a nats-server: from PATH (and the sbin folders, which an ordinary user's PATH lacks on Debian), else
 * unpacked from Debian's package into our own tools folder. The package is not installed: that would start a second
 * server for the whole machine, open to the network.
 *
 * @throws StartupError that says how to get it, where there is neither.
 */
export async function findNatsServer(log: (line: string) => void = () => {}): Promise<string> {
  const unpacked = join(toolsDir, "nats-server");
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/usr/local/bin"];
  for (const path of [...folders.filter(Boolean).map((folder) => join(folder, "nats-server")), unpacked]) {
    if (await isExecutable(path)) return path;
  }
  log("Fetching nats-server (Debian's package) …");
  try {
    await unpackDebianPackage(unpacked);
  } catch (cause) {
    throw new StartupError(howToGetIt, { cause });
  }
  return unpacked;
}

async function unpackDebianPackage(target: string): Promise<void> {
  await mkdir(toolsDir, { recursive: true });
  const work = await mkdtemp(join(toolsDir, "fetch-"));
  try {
    // As root apt would hand the download to its own user, who may not enter a clone below /root.
    const apt = (args: string[]) => run("apt-get", ["-qq", "-o", "APT::Sandbox::User=root", ...args], { cwd: work });
    // Package lists of our own: an ordinary user may not refresh the machine's, and a bare machine has none.
    const lists = ["-o", `Dir::State::Lists=${join(work, "lists")}`, "-o", `Dir::Cache=${join(work, "cache")}`];
    await apt(["download", "nats-server"]).catch(async () => {
      await mkdir(join(work, "lists", "partial"), { recursive: true });
      await mkdir(join(work, "cache", "archives", "partial"), { recursive: true });
      await apt([...lists, "update"]);
      await apt([...lists, "download", "nats-server"]);
    });
    await run("sh", ["-c", "dpkg-deb -x nats-server_*.deb unpacked"], { cwd: work });
    await rename(join(work, "unpacked/usr/sbin/nats-server"), target);
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
