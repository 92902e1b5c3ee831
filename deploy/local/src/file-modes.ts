import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

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

/** A file that was deleted meanwhile is no fault. */
function orGone(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== "ENOENT") throw fault;
}
