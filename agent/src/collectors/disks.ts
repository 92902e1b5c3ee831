import { type BigIntStatsFs, stat as statCalling, statfs as statfsCalling } from "node:fs";
import { promisify } from "node:util";
import { type Mount, isNetworkMount, readMounts } from "./mounts.ts";
import type { Roots } from "./roots.ts";

export interface DiskFigures {
  device: string;
  mountPoint: string;
  fsType: string;
  total: number;
  used: number;
  free: number;
  usage: number;
  inodesTotal?: number;
  inodesUsed?: number;
}

/** The kernel's data of a mounted file system, with its device and whether the mount point is a folder. */
export interface MountStat {
  fs: BigIntStatsFs;
  device: bigint;
  isFolder: boolean;
}

export interface DiskReader {
  read: () => Promise<DiskFigures[]>;
  /** What the last reading left out, and why. */
  skipped: () => { mountPoint: string; reason: string }[];
}

// `node:fs/promises` would load a megabyte of unused code.
const [stat, statfs] = [promisify(statCalling), promisify(statfsCalling)];
const timeoutMs = 5000;
/** Of the four threads that file system calls share, at least this many stay free of mounts that hang. */
const maxStuck = 2;

async function askKernel(path: string): Promise<MountStat> {
  const entry = await stat(path, { bigint: true });
  return { fs: await statfs(path, { bigint: true }), device: entry.dev, isFolder: entry.isDirectory() };
}

/** Sizes in bytes. Usage as in `df`: the used part of what users may write. */
export function diskFigures(mount: Mount, fs: BigIntStatsFs): DiskFigures | undefined {
  if (fs.blocks === 0n) return undefined;
  const size = Number(fs.bsize);
  const [total, used, free] = [fs.blocks, fs.blocks - fs.bfree, fs.bavail].map((blocks) => Number(blocks) * size) as [
    number,
    number,
    number,
  ];
  const { device, mountPoint, fsType } = mount;
  const figures: DiskFigures = { device, mountPoint, fsType, total, used, free, usage: 0 };
  figures.usage = used + free > 0 ? Math.min(100, (used / (used + free)) * 100) : 100;
  // btrfs and others make inodes on demand and report none.
  if (fs.files > 0n) {
    figures.inodesTotal = Number(fs.files);
    figures.inodesUsed = Number(fs.files - fs.ffree);
  }
  return figures;
}

/** Linux's dev_t as the C library spells it, see makedev(3). */
function deviceNumber(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}

/**
 * Measures disks one after another. A mount that has not answered within five seconds is left out and not asked again
 * until that answer came: a call that hangs holds a thread for good.
 */
export function diskReader(
  roots: Roots,
  options: { includeNetwork: boolean; ask?: (path: string) => Promise<MountStat>; waitMs?: number },
): DiskReader {
  const { ask = askKernel, waitMs = timeoutMs } = options;
  const stuck = new Set<string>();
  let skipped: { mountPoint: string; reason: string }[] = [];

  async function measure(mount: Mount): Promise<DiskFigures | string> {
    const key = `${mount.deviceNumber} ${mount.mountPoint}`;
    if (stuck.has(key)) return "does not answer";
    if (stuck.size >= maxStuck) return "not asked while other mounts do not answer";
    stuck.add(key);
    const asked = ask(roots.root + mount.mountPoint).finally(() => stuck.delete(key));
    asked.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, waitMs, "late");
    });
    try {
      const answer = await Promise.race([asked, late]);
      if (answer === "late") return `did not answer within ${waitMs / 1000} s`;
      if (!answer.isFolder) return "is a file";
      // Another device than in mountinfo: this process sees another file system at that path.
      const hidden = !mount.deviceNumber.startsWith("0:") && deviceNumber(answer.device) !== mount.deviceNumber;
      if (hidden) return "is not visible to this process";
      return diskFigures(mount, answer.fs) ?? "has no size";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async read() {
      const choice = readMounts(roots, options.includeNetwork);
      skipped = choice.skipped;
      const disks: DiskFigures[] = [];
      // Disks before network mounts: what hangs must not keep the rest from being asked.
      const order = choice.mounts.toSorted(
        (a, b) => Number(isNetworkMount(a.fsType)) - Number(isNetworkMount(b.fsType)),
      );
      for (const mount of order) {
        const answer = await measure(mount);
        if (typeof answer === "string") skipped.push({ mountPoint: mount.mountPoint, reason: answer });
        else disks.push(answer);
      }
      return disks.slice(0, 100);
    },
    skipped: () => skipped,
  };
}
