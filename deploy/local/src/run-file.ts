import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { bornAt, endProcess } from "@sonde/embedded/process-identity";
import { StartupError } from "@sonde/kit/service/startup-error";

/** Process ids are reused, so the start time is also needed. */
type Identity = { pid: number; born: string };
type Contents = { owner: Identity; stopping: boolean; children: Record<string, Identity> };

const graceMs = 3_000;
const stoppingPatienceMs = 40_000;

/**
 * Locks a data directory for this process. Waits for a run that is stopping, and ends the processes that a killed run left
 * behind (listed in `run.json`).
 * @throws StartupError if another Sonde uses it
 */
export async function takeDataDir(dataDir: string, log: (line: string) => void) {
  const file = join(dataDir, "run.json");
  const unlock = await waitForFolder(dataDir, file, log);
  const left = Object.values(read(file)?.children ?? {}).filter(isRunning);
  if (left.length > 0) log("Stopping processes left by an earlier run …");
  await Promise.all(left.map(({ pid }) => endProcess(pid, "SIGTERM", 5_000)));

  const contents: Contents = { owner: identify(process.pid), stopping: false, children: {} };
  const save = () => {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(contents), { mode: 0o600 });
      renameSync(`${file}.new`, file); // Atomic, even if this process is killed.
    } catch {
      // A full disk must not end Sonde. The next change retries.
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

/** A run whose terminal was just closed needs a moment to notice, and a stopping run needs time to drain. */
async function waitForFolder(dataDir: string, file: string, log: (line: string) => void): Promise<() => void> {
  const startedAt = performance.now();
  let reported = false;
  while (true) {
    const unlock = lock(join(dataDir, "run.lock"));
    const owner = read(file)?.owner;
    const isHere = owner !== undefined && isRunning(owner);
    // Earlier versions had no lock.
    if (unlock && !isHere) return unlock;
    unlock?.();
    const stopping = read(file)?.stopping ?? false;
    if (performance.now() - startedAt > (stopping ? stoppingPatienceMs : graceMs)) {
      const where = isHere ? `as process ${owner.pid}` : "in another container";
      throw new StartupError(`Sonde is already running on ${dataDir}, ${where}. Stop it first.`);
    }
    if (stopping && !reported) log("Waiting for the earlier run to stop …");
    reported ||= stopping;
    await sleep(100);
  }
}

const sqliteBusy = 5;

/**
 * Locks a file through SQLite, the only way in Node. The kernel releases the lock when the process ends, and it also works
 * across containers. Returns a function that unlocks it, or undefined if another process has the lock.
 */
function lock(file: string): (() => void) | undefined {
  const database = openLock(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (fault) {
    database.close();
    if ((fault as { errcode?: number }).errcode === sqliteBusy) return undefined;
    return () => {}; // The file system has no locks, so only `run.json` protects the folder.
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

function read(file: string): Contents | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Contents;
  } catch {
    return undefined;
  }
}

const identify = (pid: number): Identity => ({ pid, born: bornAt(pid) ?? "" });
const isRunning = ({ pid, born }: Identity) => bornAt(pid) === born;
