import { execFile } from "node:child_process";
import { access, glob, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const toolsDir = resolve(import.meta.dirname, "../../../../node_modules/.cache/sonde");

/** `also`: packages needed beyond the declared dependencies. */
export interface DebianSource {
  package: string;
  also?: readonly string[];
  path: string;
}

export interface DebianProgram {
  program: string;
  /** `/` if the machine has the program. */
  root: string;
  libraries: string[];
}

/**
 * Uses the machine's program, or unpacks it without installing. A program that needs further packages is always unpacked,
 * because the machine may lack these. @throws Error that explains how to install it
 */
export async function findDebianProgram(name: string, source: DebianSource): Promise<DebianProgram> {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  for (const folder of source.also === undefined ? folders : []) {
    if (folder !== "" && (await pathExists(join(folder, name)))) {
      return { program: join(folder, name), root: "/", libraries: [] };
    }
  }
  const unpacked = join(toolsDir, source.package);
  if (!(await pathExists(unpacked))) {
    const packages = [source.package, ...(source.also ?? [])];
    await unpackDebianPackages(packages, unpacked).catch((cause: unknown) => {
      const byHand = `Install it (Debian and Ubuntu: \`sudo apt-get install ${packages.join(" ")}\`).`;
      throw new Error(`${name} was not found. ${byHand}`, { cause });
    });
  }
  const found = await Array.fromAsync(glob(["usr/lib/*-linux-*", "lib/*-linux-*"], { cwd: unpacked }));
  const libraries = found.map((path) => join(unpacked, path));
  return { program: join(unpacked, source.path), root: unpacked, libraries };
}

async function unpackDebianPackages(names: readonly string[], target: string): Promise<void> {
  await mkdir(toolsDir, { recursive: true });
  const work = await mkdtemp(join(toolsDir, "fetch-"));
  try {
    for (const folder of ["lists/partial", "archives/partial"]) await mkdir(join(work, folder), { recursive: true });
    // As root, apt would download as its own user, which cannot read a clone below /root.
    const options = ["APT::Sandbox::User=root", "Debug::NoLocking=1", `Dir::Cache=${work}`].flatMap((o) => ["-o", o]);
    const apt = (...args: string[]) => run("apt-get", ["-qq", ...options, ...args], { cwd: work });
    const download = ["install", "--reinstall", "--download-only", "--no-install-recommends", "--yes", ...names];
    await apt(...download).catch(async () => {
      // Use separate package lists: a bare machine has none, and an ordinary user may not refresh the machine's.
      const lists = ["-o", `Dir::State::Lists=${join(work, "lists")}`];
      await apt(...lists, "update");
      await apt(...lists, ...download);
    });
    await run("sh", ["-c", 'for deb in archives/*.deb; do dpkg-deb -x "$deb" unpacked || exit; done'], { cwd: work });
    // Another test may have created it first.
    await rename(join(work, "unpacked"), target).catch(async (error: unknown) => {
      if (!(await pathExists(target))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const pathExists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
