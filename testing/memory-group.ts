import { existsSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A cgroup that bounds the memory of what is started in it, page cache included. */
export type MemoryGroup = {
  /** The file that a process writes its id to, to enter with all that it starts. */
  enter: string;
  limit(mib: number): Promise<void>;
  /** Processes of the group that the kernel killed for want of memory. */
  kills(): Promise<number>;
  /** Only after all its processes have ended. */
  remove(): Promise<void>;
};

const base = "/sys/fs/cgroup";
/** Of versions 2 and 1: where a group is made, its limit, and the file with the count of `oom_kill`. */
const versions = [
  { parent: base, marker: "cgroup.controllers", limit: "memory.max", events: "memory.events" },
  {
    parent: join(base, "memory"),
    marker: "cgroup.procs",
    limit: "memory.limit_in_bytes",
    events: "memory.oom_control",
  },
];

/** @returns null where this machine lets us make none */
export async function makeMemoryGroup(name: string): Promise<MemoryGroup | null> {
  const version = versions.find(({ parent, marker }) => existsSync(join(parent, marker)));
  if (version === undefined) return null;
  const folder = join(version.parent, name);
  try {
    await mkdir(folder);
    // Version 2 has the file only where the parent hands the controller on.
    if (!existsSync(join(folder, version.limit))) await rmdir(folder);
  } catch {
    return null;
  }
  if (!existsSync(folder)) return null;
  return {
    enter: join(folder, "cgroup.procs"),
    limit: (mib) => writeFile(join(folder, version.limit), String(mib * 1024 * 1024)),
    kills: async () => Number(/^oom_kill (\d+)$/m.exec(await readFile(join(folder, version.events), "utf8"))?.[1] ?? 0),
    remove: () => rmdir(folder),
  };
}
