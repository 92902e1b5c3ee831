// One at a time, among processes of this machine. Plain JavaScript; see prepare.mjs.
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs work while no other process does that holds the same lock file. A lock whose holder is dead is taken over, and
 * what it had begun is ended: an install that lives on would spoil ours.
 * @param work gets a function that notes the process group it began.
 * @param say is told once, with the holder's number, where another one must be waited for.
 */
export async function alone(file, work, say) {
  let said = false;
  while (!take(file)) {
    const holder = read(file);
    if (holder && !lives(holder)) removeDead(file, holder);
    else {
      if (holder && !said) say(holder.pid);
      said ||= holder !== undefined;
      await sleep(100);
    }
  }
  const release = () => remove(file);
  process.once("exit", release);
  try {
    return await work((group) => note(file, { ...self(), group: { pid: group, born: bornAt(group) } }));
  } finally {
    process.off("exit", release);
    release();
  }
}

const self = () => ({ pid: process.pid, born: bornAt(process.pid) });

function note(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content));
  renameSync(draft, file);
}

/** The file comes into being with its content, so that nobody ever reads half of it. */
function take(file) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(self()));
  try {
    linkSync(draft, file);
    return true;
  } catch (fault) {
    return fault.code === "EEXIST" ? false : takeWithoutLink(file);
  } finally {
    remove(draft);
  }
}

/** Some disks know no hard links (exFAT, shared folders). There a reader may see the file before its content. */
function takeWithoutLink(file) {
  try {
    writeFileSync(file, JSON.stringify(self()), { flag: "wx" });
    return true;
  } catch (fault) {
    if (fault.code === "EEXIST") return false;
    throw fault;
  }
}

/** Of several who find a dead holder one at a time removes it, and looks again: it may be a living one's by now. */
function removeDead(file, dead) {
  const guard = `${file}.cleaning`;
  if (!take(guard)) {
    const cleaner = read(guard);
    if (cleaner && !lives(cleaner)) remove(guard);
    return;
  }
  const now = read(file);
  if (now?.pid === dead.pid && now.born === dead.born) {
    if (now.group && lives(now.group)) process.kill(-now.group.pid, "SIGKILL");
    remove(file);
  }
  remove(guard);
}

/** Who holds the lock; undefined while nobody does, or its content is just being written. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    const writtenMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    return writtenMs !== undefined && Date.now() - writtenMs > writingMs ? killedWhileWriting : undefined;
  }
}

const writingMs = 10_000;
/** A holder without a number, which does not live. */
const killedWhileWriting = {};

function remove(file) {
  try {
    unlinkSync(file);
  } catch (fault) {
    if (fault.code !== "ENOENT") throw fault;
  }
}

/** Numbers of processes are used again, their births are not: field 22 of `man 5 proc`, empty on other systems. */
function bornAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return "";
  }
}

function lives({ pid, born }) {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
  } catch (fault) {
    if (fault.code === "ESRCH") return false;
  }
  return born === "" || bornAt(pid) === born;
}
