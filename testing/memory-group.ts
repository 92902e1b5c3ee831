import { existsSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A cgroup that limits the memory of its processes, page cache included. */
export type MemoryGroup = {
  /** File to which a process writes its id to join, with all its children. */
  enter: string;
  limit(mib: number): Promise<void>;
  /** Processes of the group that the kernel killed when out of memory. */
  kills(): Promise<number>;
  /** Removes the group. All its processes must have exited. */
  remove(): Promise<void>;
};

const base = "/sys/fs/cgroup";
/** For cgroup versions 2 and 1: parent folder, limit file, and the file with the `oom_kill` count. */
const versions = [
  { parent: base, marker: "cgroup.controllers", limit: "memory.max", events: "memory.events" },
  {
    parent: join(base, "memory"),
    marker: "cgroup.procs",
    limit: "memory.limit_in_bytes",
    events: "memory.oom_control",
  },
];

/** @returns null if this machine does not allow it */
export async function makeMemoryGroup(name: string): Promise<MemoryGroup | null> {
  const version = versions.find(({ parent, marker }) => existsSync(join(parent, marker)));
  if (version === undefined) return null;
  const folder = join(version.parent, name);
  try {
    await mkdir(folder);
    // In version 2 the file exists only if the parent delegates the controller.
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
