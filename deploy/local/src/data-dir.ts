import { mayEnter, sharedDir } from "@sonde/embedded/postgres-account";
import { StartupError } from "@sonde/kit/service/startup-error";
import { isKeyList } from "@sonde/kit/secret-keys";
import { createHash, randomBytes } from "node:crypto";
import {
  access,
  chmod,
  constants,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  statfs,
  unlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { cloneDir } from "./clone.ts";

const neededBytes = 100 * 1024 * 1024;
/** A user without any rights: a folder that it may enter is open to the user of PostgreSQL, too. */
const nobody = { uid: 65_534, gid: 65_534 };

const asRoot = process.getuid?.() === 0;
const reachable = (folder: string) => !asRoot || mayEnter(nobody, folder);
export const dataDirOf = (asked: string | undefined): string =>
  asked ? resolve(asked) : reachable(cloneDir) ? join(cloneDir, ".sonde") : movedDefault();

/**
 * Finds and makes the data folder: SONDE_DATA_DIR, else `.sonde` in the clone. Root's PostgreSQL runs as another user:
 * if that one cannot reach the clone (below /root), the default alone moves, one folder a clone.
 *
 * @throws StartupError if the configured folder cannot be used.
 */
export async function openDataDir(asked: string | undefined): Promise<string> {
  const folder = dataDirOf(asked);
  const existing = await nearestExisting(folder);
  const parent = existing === folder ? dirname(folder) : existing;
  if (asked && !reachable(parent)) {
    throw new StartupError(
      `SONDE_DATA_DIR ${folder} cannot be used as root: PostgreSQL runs as another user, which cannot access ${parent}. ` +
        "Choose a folder outside it, or start as an ordinary user.",
    );
  }
  await makeFolders(folder, asRoot ? 0o711 : 0o700);
  // Other users may pass through root's folder but not list it; each part below has its own permissions. A volume's
  // root may belong to another user, with access for our group: it is left so.
  const { uid } = await stat(folder);
  if (uid === process.getuid?.()) await chmod(folder, asRoot ? 0o711 : 0o700);
  await checkWritable(folder, uid);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < neededBytes) {
    const freeMib = Math.floor((bavail * bsize) / 1024 / 1024);
    throw new StartupError(
      `The disk is full: ${freeMib} MiB are free for ${folder}, but Sonde needs 100 MiB to start.`,
    );
  }
  return folder;
}

async function checkWritable(folder: string, owner: number): Promise<void> {
  const fault = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => undefined,
    (thrown: NodeJS.ErrnoException) => thrown,
  );
  if (fault === undefined) return;
  if (fault.code !== "EACCES") throw fault;
  throw new StartupError(
    `User ${process.getuid?.()} cannot write to ${folder}, which belongs to user ${owner}. ` +
      "Give the folder to this user (chown -R), or set SONDE_DATA_DIR to another one.",
  );
}

/** With any umask: root's PostgreSQL must be able to pass through the folders above. */
async function makeFolders(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await chmod(made, mode);
}

function movedDefault(): string {
  const mark = createHash("sha256").update(cloneDir).digest("hex").slice(0, 8);
  return join(sharedDir, `${basename(cloneDir)}-${mark}`);
}

async function nearestExisting(folder: string): Promise<string> {
  const found = await stat(folder).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT" || fault.code === "ENOTDIR") return undefined;
    throw fault;
  });
  if (found && !found.isDirectory()) throw new StartupError(`${folder} is a file; Sonde needs a folder there.`);
  return found ? folder : nearestExisting(dirname(folder));
}

/**
 * The key that the services' keys are derived from: made at the first start, then kept; 32 bytes in base64, or a
 * comma-separated list of such keys while it is being changed.
 */
export async function keepSecretKey(dataDir: string): Promise<string> {
  const known = await readSecretKey(dataDir);
  if (known !== undefined) return known;
  const file = join(dataDir, "secret-key");
  // Written atomically: with half a key nothing that it sealed could be read.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(32).toString("base64"), { mode: 0o600, flush: true });
  await link(draft, file);
  await unlink(draft);
  return readFile(file, "utf8");
}

/** Writes the key of a restored installation and returns its file. @throws if there is a key already */
export async function writeSecretKey(dataDir: string, key: string): Promise<string> {
  const file = join(dataDir, "secret-key");
  await writeFile(file, key, { mode: 0o600, flag: "wx", flush: true });
  return file;
}

/** Removes a key that sealed nothing. */
export const forgetSecretKey = (dataDir: string): Promise<void> => rm(join(dataDir, "secret-key"), { force: true });

/** Returns undefined if there is no key yet. @throws StartupError if the file holds anything else */
export async function readSecretKey(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, "secret-key");
  const known = await readFile(file, "utf8").catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return undefined;
    throw fault;
  });
  if (known === undefined || isKeyList(known)) return known?.trim();
  throw new StartupError(
    `${file} does not contain a 32-byte key in base64 (separate several with commas). Restore the original, or all sealed secrets are lost.`,
  );
}

const forOthers = 0o077;

/**
 * Removes other users' access to the files and folders below a data folder, where an earlier version left it to the
 * umask. The folder itself keeps its mode; files of another user (PostgreSQL) are skipped, since following them as root
 * would be dangerous.
 */
export async function closeToOthers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) await close(join(dataDir, name), name === "postgres");
}

async function close(path: string, passable: boolean): Promise<void> {
  const found = await lstat(path).catch(orGone);
  if (!found || found.isSymbolicLink() || found.uid !== process.getuid?.()) return;
  const mode = found.mode & 0o777;
  // The user of PostgreSQL passes through its folder, by the group's right alone.
  const excess = passable ? forOthers & ~0o010 : forOthers;
  if ((mode & excess) !== 0) await chmod(path, mode & ~excess).catch(orGone);
  if (!found.isDirectory()) return;
  const names = await readdir(path).catch(orGone);
  await Promise.all((names ?? []).map((name) => close(join(path, name), false)));
}

/** Ignores that a file has just been deleted. */
function orGone(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== "ENOENT") throw fault;
}
