import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MemoryFigures } from "./collector.ts";
import { type Roots, readNumberFile, readText } from "./roots.ts";

/** Folders with the container's figures: one in version 2, one per controller in version 1. */
export interface Cgroup {
  version: 1 | 2;
  cpu: string;
  cpuacct: string;
  cpuset: string;
  memory: string;
}

/** Parses the cgroup by controller ("" is version 2), without the leaf of systemd itself. */
export function parseCgroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    for (const name of controllers.split(",")) groups.set(name, path.replace(/\/init\.scope$/, "") || "/");
  }
  return groups;
}

/** For example 5 for "0-3,8". */
export function countCpuList(list: string): number {
  return list
    .trim()
    .split(",")
    .filter(Boolean)
    .reduce((count, range) => {
      const [first = Number.NaN, last = first] = range.split("-").map(Number);
      return count + (last - first + 1);
    }, 0);
}

/** @param process the container's first process, or `self` */
export function findCgroup(roots: Roots, process: "1" | "self" = "1"): Cgroup | undefined {
  const groups = parseCgroups(readText(join(roots.proc, process, "cgroup")) ?? "");
  const base = join(roots.sys, "fs/cgroup");
  // With a cgroup namespace the container's group is the root; otherwise the host's path may be invisible.
  const folder = (mount: string, name: string) => {
    const own = join(mount, groups.get(name) ?? "/");
    return own.startsWith(mount) && existsSync(own) ? own : mount;
  };
  if (existsSync(join(base, "cgroup.controllers"))) {
    const path = folder(base, "");
    return { version: 2, cpu: path, cpuacct: path, cpuset: path, memory: path };
  }
  if (!existsSync(join(base, "memory")) || !existsSync(join(base, "cpuacct"))) return undefined;
  const of = (name: string) => folder(join(base, name), name);
  return { version: 1, cpu: of("cpu"), cpuacct: of("cpuacct"), cpuset: of("cpuset"), memory: of("memory") };
}

/** Microseconds. */
export function readCpuTime(cgroup: Cgroup): number | undefined {
  if (cgroup.version === 1) {
    const nanoseconds = readNumberFile(join(cgroup.cpuacct, "cpuacct.usage"));
    return nanoseconds === undefined ? undefined : nanoseconds / 1000;
  }
  const usage = /^usage_usec (\d+)$/m.exec(readText(join(cgroup.cpu, "cpu.stat")) ?? "")?.[1];
  return usage === undefined ? undefined : Number(usage);
}

/** The minimum of its quota, its CPU set and the host's cores. */
export function readCpuLimit(cgroup: Cgroup, hostCores: number): number {
  const [quota, period] =
    cgroup.version === 2
      ? (readText(join(cgroup.cpu, "cpu.max")) ?? "").trim().split(" ").map(Number)
      : [readNumberFile(join(cgroup.cpu, "cpu.cfs_quota_us")), readNumberFile(join(cgroup.cpu, "cpu.cfs_period_us"))];
  const byQuota = quota !== undefined && quota > 0 && period !== undefined && period > 0 ? quota / period : hostCores;
  const setFile = cgroup.version === 2 ? "cpuset.cpus.effective" : "cpuset.cpus";
  const bySet = countCpuList(readText(join(cgroup.cpuset, setFile)) ?? "") || hostCores;
  return Math.min(hostCores, byQuota, bySet);
}

/** Used memory is what cannot be dropped: current − inactive_file. Total is the limit, or the host's memory. */
export function readCgroupMemory(cgroup: Cgroup, host: MemoryFigures): MemoryFigures | undefined {
  const [currentFile, limitFile, inactive] =
    cgroup.version === 2
      ? ["memory.current", "memory.max", "inactive_file"]
      : ["memory.usage_in_bytes", "memory.limit_in_bytes", "total_inactive_file"];
  const current = readNumberFile(join(cgroup.memory, currentFile));
  if (current === undefined) return undefined;
  const stat = readText(join(cgroup.memory, "memory.stat")) ?? "";
  const droppable = Number(new RegExp(`^${inactive} (\\d+)$`, "m").exec(stat)?.[1] ?? 0);
  const total = Math.min(host.total, readNumberFile(join(cgroup.memory, limitFile)) ?? host.total);
  const used = Math.min(total, Math.max(0, current - droppable));
  const usage = total === 0 ? 0 : (used / total) * 100;
  return { total, used, free: Math.max(0, total - current), usage, available: total - used };
}
