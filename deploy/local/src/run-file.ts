import { readlinkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { readFile, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bornAt, endProcess } from "@sonde/kit/embedded/process-identity";
import { startLoop } from "@sonde/kit/time/loop";
import { StartupError } from "@sonde/kit/embedded/startup-error";

/** A process by its number and its birth: numbers are used again, births are not. */
type Identity = { pid: number; born: string };
/** `space`: where its numbers hold. Another container has processes of its own, which cannot be seen from here. */
type Contents = { owner: Identity; space?: string; stopping: boolean; children: Record<string, Identity> };

/** The file that says who runs on a data folder. */
export type RunFile = {
  noteChild: (name: string, pid: number) => void;
  noteStopping: () => void;
  remove: () => Promise<void>;
  /** The same without waiting, for a process that is about to end. */
  removeAtOnce: () => void;
};

const graceMs = 3_000;
const stoppingPatienceMs = 40_000;
/** How often a run shows that it lives, to those that cannot see its processes, and how long they look. */
const signMs = 2_000;
const lookMs = 3 * signMs;

/**
 * Takes a data folder for this process. Service processes that a killed run left there are ended; a run that is
 * stopping is waited for. A run in another container on the same folder is known by its signs of life: the time of
 * the file.
 *
 * @throws StartupError when another Sonde runs on it.
 */
export async function takeDataDir(
  dataDir: string,
  say: (line: string) => void,
  { space = ownSpace(), lookForMs = lookMs } = {},
): Promise<RunFile> {
  const file = join(dataDir, "run.json");
  const contents: Contents = { owner: identify(process.pid), space, stopping: false, children: {} };
  while (!(await create(file, contents))) {
    const earlier = await read(file);
    if (earlier?.space !== undefined && earlier.space !== space) {
      await refuseLivingElsewhere(file, dataDir, lookForMs, say);
    } else if (earlier) {
      await waitForEnd(file, earlier.owner, dataDir, say);
      const left = Object.values(earlier.children).filter(lives);
      if (left.length > 0) say("Ending what an earlier run left behind …");
      await Promise.all(left.map(({ pid }) => endProcess(pid, "SIGTERM", 5_000)));
    }
    await unlink(file).catch(() => {});
  }
  /** The file helps the next start; that it cannot be written (a full disk) ends nothing. The next change tries again. */
  const save = () => {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(contents), { mode: 0o600 });
      renameSync(`${file}.new`, file); // Whole at every instant: we may be killed at any.
    } catch {
      // What was written last stays.
    }
  };
  const signs = startLoop({ work: "run file", everyMs: signMs, run: () => utimes(file, new Date(), new Date()) });
  return {
    noteChild(name, pid) {
      contents.children[name] = identify(pid);
      save();
    },
    noteStopping() {
      contents.stopping = true;
      save();
    },
    remove: () => (void signs.stop(), unlink(file)),
    removeAtOnce: () => (void signs.stop(), unlinkSync(file)),
  };
}

/** The namespace of processes that this one is in; the same text everywhere where there are none. */
function ownSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * Two on one folder would spoil the database, whose own lock knows processes alone. A container that was killed gives
 * no more signs.
 * @throws StartupError when the file shows one within the time
 */
async function refuseLivingElsewhere(
  file: string,
  dataDir: string,
  lookForMs: number,
  say: (line: string) => void,
): Promise<void> {
  const signOf = async () => (await stat(file).catch(() => undefined))?.mtimeMs;
  const first = await signOf();
  if (first !== undefined && Date.now() - first < lookForMs) say("Looking whether the earlier container still runs …");
  // By this process's own clock: that of the file may be another machine's.
  for (const until = performance.now() + lookForMs; performance.now() < until; await sleep(100)) {
    const now = await signOf();
    if (now === undefined) return; // It has stopped.
    if (now !== first)
      throw new StartupError(`Sonde is running on ${dataDir} already, in another container. Stop that one first.`);
  }
}

async function create(file: string, contents: Contents): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(contents), { flag: "wx", mode: 0o600 });
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw fault;
  }
}

/** What the file says; undefined when it is gone, or was cut off by a crash in mid-writing. */
async function read(file: string): Promise<Contents | undefined> {
  const text = await readFile(file, "utf8").catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return "";
    throw fault;
  });
  try {
    return JSON.parse(text) as Contents;
  } catch {
    return undefined;
  }
}

/** A run whose terminal was just killed needs a moment to notice, and one that stops needs a moment to drain. */
async function waitForEnd(file: string, owner: Identity, dataDir: string, say: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  let said = false;
  while (lives(owner)) {
    const stopping = (await read(file))?.stopping ?? false;
    if (performance.now() - startedAt > (stopping ? stoppingPatienceMs : graceMs)) {
      throw new StartupError(`Sonde is running on ${dataDir} already, as process ${owner.pid}. Stop that one first.`);
    }
    if (stopping && !said) say("Waiting for the earlier run to stop …");
    said ||= stopping;
    await sleep(100);
  }
}

const identify = (pid: number): Identity => ({ pid, born: bornAt(pid) ?? "" });
const lives = ({ pid, born }: Identity) => bornAt(pid) === born;
