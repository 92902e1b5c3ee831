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
/** A user without any rights. PostgreSQL's user can enter every folder that this one can. */
const nobody = { uid: 65_534, gid: 65_534 };

const asRoot = process.getuid?.() === 0;
const reachable = (folder: string) => !asRoot || mayEnter(nobody, folder);
export const dataDirOf = (configured: string | undefined): string =>
  configured ? resolve(configured) : reachable(cloneDir) ? join(cloneDir, ".sonde") : movedDefault();

/**
 * Creates the data directory: SONDE_DATA_DIR, or `.sonde` in the clone. As root, PostgreSQL runs as another user; if that
 * user cannot reach the clone (below /root), the default is a folder elsewhere, one per clone.
 *
 * @throws StartupError if the configured folder cannot be used.
 */
export async function openDataDir(configured: string | undefined): Promise<string> {
  const folder = dataDirOf(configured);
  const existing = await nearestExisting(folder);
  const parent = existing === folder ? dirname(folder) : existing;
  if (configured && !reachable(parent)) {
    throw new StartupError(
      `SONDE_DATA_DIR ${folder} cannot be used as root: PostgreSQL runs as another user, which cannot access ${parent}. ` +
        "Choose a folder outside it, or start as an ordinary user.",
    );
  }
  await makeFolders(folder, asRoot ? 0o711 : 0o700);
  // Other users may pass through root's folder but not list it; the folders below have their own permissions. A volume's
  // root that belongs to another user is unchanged: its group may give access.
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

/** Sets the modes explicitly because of the umask: PostgreSQL's user must be able to pass through the folders. */
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
 * Returns the master key from which the services' keys are derived, and creates it at the first start. It is 32 bytes in
 * base64, or a comma-separated list of such keys during a rotation.
 */
export async function keepSecretKey(dataDir: string): Promise<string> {
  const existing = await readSecretKey(dataDir);
  if (existing !== undefined) return existing;
  const file = join(dataDir, "secret-key");
  // Written atomically, because secrets sealed with a truncated key would be lost.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(32).toString("base64"), { mode: 0o600, flush: true });
  await link(draft, file);
  await unlink(draft);
  return readFile(file, "utf8");
}

/** Writes the key of a restored installation and returns its file. @throws Error if the file exists */
export async function writeSecretKey(dataDir: string, key: string): Promise<string> {
  const file = join(dataDir, "secret-key");
  await writeFile(file, key, { mode: 0o600, flag: "wx", flush: true });
  return file;
}

/** Removes a new key that has not sealed anything. */
export const forgetSecretKey = (dataDir: string): Promise<void> => rm(join(dataDir, "secret-key"), { force: true });

/** Returns undefined if there is no key yet. @throws StartupError if the file does not contain a key */
export async function readSecretKey(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, "secret-key");
  const text = await readFile(file, "utf8").catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return undefined;
    throw fault;
  });
  if (text === undefined || isKeyList(text)) return text?.trim();
  throw new StartupError(
    `${file} does not contain a 32-byte key in base64 (separate several with commas). Restore the original, or all sealed secrets are lost.`,
  );
}

const forOthers = 0o077;

/**
 * Removes other users' access to everything below a data directory; earlier versions left it to the umask. Files of other
 * users (PostgreSQL) and links are skipped, because following them as root would be dangerous.
 */
export async function closeToOthers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) await close(join(dataDir, name), name === "postgres");
}

async function close(path: string, passable: boolean): Promise<void> {
  const found = await lstat(path).catch(orGone);
  if (!found || found.isSymbolicLink() || found.uid !== process.getuid?.()) return;
  const mode = found.mode & 0o777;
  // PostgreSQL's user passes through its folder with the group's permission.
  const excess = passable ? forOthers & ~0o010 : forOthers;
  if ((mode & excess) !== 0) await chmod(path, mode & ~excess).catch(orGone);
  if (!found.isDirectory()) return;
  const names = await readdir(path).catch(orGone);
  await Promise.all((names ?? []).map((name) => close(join(path, name), false)));
}

function orGone(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== "ENOENT") throw fault;
}
