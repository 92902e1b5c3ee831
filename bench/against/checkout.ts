import { execFile } from "node:child_process";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The files of a commit in a folder of its own, with its dependencies. */
export interface Checkout {
  folder: string;
  /** The commit, in short. */
  commit: string;
  remove(): Promise<void>;
}

/** @throws Error in one sentence where this clone has no such commit */
export async function checkOut(root: string, name: string): Promise<Checkout> {
  const git = async (...args: string[]) => (await run("git", ["-C", root, ...args])).stdout.trim();
  const commit = await git("rev-parse", "--verify", "--quiet", "--short", `${name}^{commit}`).catch(() => {
    throw new Error(`There is no commit ${name} in this clone`);
  });
  const folder = join(await mkdtemp(join(tmpdir(), "sonde-against-")), "sonde");
  const remove = async () => {
    await git("worktree", "remove", "--force", folder).catch(() => {});
    await rm(join(folder, ".."), { recursive: true, force: true });
  };
  try {
    await git("worktree", "add", "--detach", folder, commit);
    await linkDependencies(root, folder);
  } catch (fault) {
    await remove();
    throw fault;
  }
  return { folder, commit, remove };
}

/**
 * Where both lock files are the same, its dependencies are hard links to this tree's: real files in folders of its own,
 * so that its packages find each other and never ours. Otherwise its own start installs them.
 */
async function linkDependencies(root: string, folder: string): Promise<void> {
  const lock = (of: string) => readFile(join(of, "package-lock.json"), "utf8");
  if ((await lock(root)) !== (await lock(folder))) return;
  const services = (await readdir(join(folder, "services"))).map((name) => `services/${name}`);
  for (const where of ["", "proto", "agent", "web", "bench", "e2e", ...services]) {
    const modules = join(root, where, "node_modules");
    if (
      await access(modules).then(
        () => true,
        () => false,
      )
    )
      // On another file system no link can be made; then `npm ci` does it.
      await run("cp", ["-al", modules, join(folder, where)]).catch(() => {});
  }
}
