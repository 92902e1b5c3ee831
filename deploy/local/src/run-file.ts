import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { bornAt, endProcess } from "@sonde/embedded/process-identity";
import { StartupError } from "@sonde/kit/service/startup-error";

/** Process numbers are reused, so a process is known by its number and its birth. */
type Identity = { pid: number; born: string };
type Contents = { owner: Identity; stopping: boolean; children: Record<string, Identity> };

const graceMs = 3_000;
const stoppingPatienceMs = 40_000;

/**
 * Takes a data folder for this process: waits for a run that is stopping, and ends processes that a killed run left behind
 * (listed in `run.json`).
 * @throws StartupError if another Sonde runs on it
 */
export async function takeDataDir(dataDir: string, say: (line: string) => void) {
  const file = join(dataDir, "run.json");
  const unlock = await waitForFolder(dataDir, file, say);
  const left = Object.values(read(file)?.children ?? {}).filter(lives);
  if (left.length > 0) say("Stopping processes left by an earlier run …");
  await Promise.all(left.map(({ pid }) => endProcess(pid, "SIGTERM", 5_000)));

  const contents: Contents = { owner: identify(process.pid), stopping: false, children: {} };
  const save = () => {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(contents), { mode: 0o600 });
      renameSync(`${file}.new`, file); // Never half written, even if this process is killed.
    } catch {
      // A full disk must not end Sonde. The next change tries again.
    }
  };
  save();
  return {
    noteChild(name: string, pid: number): void {
      contents.children[name] = identify(pid);
      save();
    },
    noteStopping(): void {
      contents.stopping = true;
      save();
    },
    remove(): void {
      rmSync(file, { force: true });
      unlock();
    },
  };
}

/** A run whose terminal was just closed needs a moment to notice, and one that stops needs time to drain. */
async function waitForFolder(dataDir: string, file: string, say: (line: string) => void): Promise<() => void> {
  const startedAt = performance.now();
  let reported = false;
  while (true) {
    const unlock = lock(join(dataDir, "run.lock"));
    const owner = read(file)?.owner;
    const isHere = owner !== undefined && lives(owner);
    // A run of an earlier version holds no lock.
    if (unlock && !isHere) return unlock;
    unlock?.();
    const stopping = read(file)?.stopping ?? false;
    if (performance.now() - startedAt > (stopping ? stoppingPatienceMs : graceMs)) {
      const where = isHere ? `as process ${owner.pid}` : "in another container";
      throw new StartupError(`Sonde is already running on ${dataDir}, ${where}. Stop it first.`);
    }
    if (stopping && !reported) say("Waiting for the earlier run to stop …");
    reported ||= stopping;
    await sleep(100);
  }
}

const sqliteBusy = 5;

/**
 * Locks a file through SQLite, the only way that Node offers. The kernel frees the lock when the process ends, and it
 * excludes other containers. Returns a function that frees it, or undefined if another process holds it.
 */
function lock(file: string): (() => void) | undefined {
  const database = openLock(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (fault) {
    database.close();
    if ((fault as { errcode?: number }).errcode === sqliteBusy) return undefined;
    return () => {}; // A file system without locks: only `run.json` protects the folder.
  }
  return () => database.close();
}

/** @throws StartupError if this user may not write the file */
function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file);
  } catch (cause) {
    const what = `User ${process.getuid?.()} cannot write ${file}, which belongs to another user.`;
    throw new StartupError(`${what} Start Sonde as that user, or give the folder to this one (chown -R).`, { cause });
  }
}

/** Returns undefined if the file is missing or damaged. */
function read(file: string): Contents | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Contents;
  } catch {
    return undefined;
  }
}

const identify = (pid: number): Identity => ({ pid, born: bornAt(pid) ?? "" });
const lives = ({ pid, born }: Identity) => bornAt(pid) === born;
