import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, glob, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "../embedded/free-port.ts";

const run = promisify(execFile);
const toolsDir = resolve(import.meta.dirname, "../../../../node_modules/.cache/sonde");

/**
 * Starts BIND, the name server of ISC, on 127.0.0.1 for tests of names: real servers' answers differ from a stand-in's.
 * It queries no other server, and nothing is installed on the machine.
 *
 * @param zones the text of each zone file (RFC 1035 §5) by the zone's name
 * @returns its `address` (`127.0.0.1:port`), and `stop`
 * @throws Error with BIND's output if it does not start or a zone has a fault
 */
export async function startBind(zones: Readonly<Record<string, string>>) {
  const { program, libraries } = await findBind();
  const folder = await mkdtemp(join(tmpdir(), "sonde-bind-"));
  const port = await freePort();
  const sections = Object.keys(zones).map((zone) => `zone "${zone}" { type primary; file "${zone}.zone"; };`);
  const config = `options {
  directory "${folder}"; managed-keys-directory "${folder}"; pid-file none; session-keyfile none;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no;
};
controls { };
${sections.join("\n")}
`;
  await writeFile(join(folder, "named.conf"), config);
  for (const [zone, text] of Object.entries(zones)) await writeFile(join(folder, `${zone}.zone`), text);
  const server = spawn(program, ["-g", "-n", "1", "-c", join(folder, "named.conf")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) },
  });
  const exited = new Promise<void>((done) => server.once("close", () => done()));
  const stop = async () => {
    server.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  await once(server, "spawn");
  const log: string[] = [];
  for await (const line of createInterface(server.stderr)) {
    log.push(line);
    if (line.includes("not loaded due to errors")) break;
    if (!line.endsWith(" running")) continue;
    server.stderr.resume();
    return { address: `127.0.0.1:${port}`, stop };
  }
  await stop();
  throw new Error(`BIND did not start:\n${log.slice(-10).join("\n")}`);
}

interface Bind {
  program: string;
  /** Folders of the shared libraries that the machine may lack. */
  libraries: string[];
}

/** The machine's BIND, else one that is unpacked from Debian's packages. @throws Error with how to install it */
async function findBind(): Promise<Bind> {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]) {
    if (folder !== "" && (await isThere(join(folder, "named"))))
      return { program: join(folder, "named"), libraries: [] };
  }
  const unpacked = join(toolsDir, "bind9");
  if (!(await isThere(unpacked))) {
    await unpackDebianPackages(unpacked).catch((cause: unknown) => {
      throw new Error("BIND was not found. Install it (Debian and Ubuntu: `sudo apt-get install bind9`).", { cause });
    });
  }
  const libraries = await Array.fromAsync(glob(["usr/lib/*-linux-*", "lib/*-linux-*"], { cwd: unpacked }));
  return { program: join(unpacked, "usr/sbin/named"), libraries: libraries.map((path) => join(unpacked, path)) };
}

/** Unpacks `bind9` and those of its dependencies that this machine lacks, as any user. */
async function unpackDebianPackages(target: string): Promise<void> {
  await mkdir(toolsDir, { recursive: true });
  const work = await mkdtemp(join(toolsDir, "fetch-"));
  try {
    for (const folder of ["lists/partial", "archives/partial"]) await mkdir(join(work, folder), { recursive: true });
    // As root apt would download as its own user, who may not enter a clone below /root.
    const options = ["APT::Sandbox::User=root", "Debug::NoLocking=1", `Dir::Cache=${work}`].flatMap((o) => ["-o", o]);
    const apt = (...args: string[]) => run("apt-get", ["-qq", ...options, ...args], { cwd: work });
    const download = ["install", "--download-only", "--no-install-recommends", "--yes", "bind9"];
    await apt(...download).catch(async () => {
      // Package lists of our own: a bare machine has none, and an ordinary user may not refresh the machine's.
      const lists = ["-o", `Dir::State::Lists=${join(work, "lists")}`];
      await apt(...lists, "update");
      await apt(...lists, ...download);
    });
    await run("sh", ["-c", 'for deb in archives/*.deb; do dpkg-deb -x "$deb" unpacked || exit; done'], { cwd: work });
    // Another test may have been faster.
    await rename(join(work, "unpacked"), target).catch(async (error: unknown) => {
      if (!(await isThere(target))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
