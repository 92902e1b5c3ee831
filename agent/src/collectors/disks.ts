import type { EntryOf } from "./collector.ts";
import { type BigIntStatsFs, stat as statCalling, statfs as statfsCalling } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { readText, type Roots } from "./roots.ts";

type DiskFigures = EntryOf<"disks">;

/** `isFolder`: the mount point is a folder. */
export interface MountStat {
  fs: BigIntStatsFs;
  device: bigint;
  isFolder: boolean;
}

export interface DiskReader {
  read: () => Promise<DiskFigures[]>;
  skipped: () => { mountPoint: string; reason: string }[];
}

// `node:fs/promises` would load a megabyte of unused code.
const [stat, statfs] = [promisify(statCalling), promisify(statfsCalling)];
const timeoutMs = 5000;
/** File system calls share four threads; hanging mounts may block at most this many. */
const maxStuck = 2;

async function statMount(path: string): Promise<MountStat> {
  const entry = await stat(path, { bigint: true });
  return { fs: await statfs(path, { bigint: true }), device: entry.dev, isFolder: entry.isDirectory() };
}

/** Bytes. Usage as in `df`: used / (used + available to users). */
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
  // btrfs and others create inodes on demand and report none.
  if (fs.files > 0n) {
    figures.inodesTotal = Number(fs.files);
    figures.inodesUsed = Number(fs.files - fs.ffree);
  }
  return figures;
}

/** Linux's dev_t, see makedev(3). */
function deviceNumber(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}

/**
 * Measures disks sequentially. A mount that does not respond within five seconds is omitted, and skipped until its
 * call returns, because a hanging call blocks a thread.
 */
export function diskReader(
  roots: Roots,
  options: { includeNetwork: boolean; ask?: (path: string) => Promise<MountStat>; waitMs?: number },
): DiskReader {
  const { ask = statMount, waitMs = timeoutMs } = options;
  const stuck = new Set<string>();
  let skipped: { mountPoint: string; reason: string }[] = [];

  async function measure(mount: Mount): Promise<DiskFigures | string> {
    const key = `${mount.deviceNumber} ${mount.mountPoint}`;
    if (stuck.has(key)) return "does not respond";
    if (stuck.size >= maxStuck) return "skipped while other mounts do not respond";
    stuck.add(key);
    const asked = ask(roots.root + mount.mountPoint).finally(() => stuck.delete(key));
    asked.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, waitMs, "late");
    });
    try {
      const answer = await Promise.race([asked, late]);
      if (answer === "late") return `did not respond within ${waitMs / 1000} s`;
      if (!answer.isFolder) return "is a file";
      // A different device than in mountinfo: this process sees another file system at that path.
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
      // Disks before network mounts, which may hang.
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

export interface Mount {
  /** major:minor */
  deviceNumber: string;
  device: string;
  mountPoint: string;
  fsType: string;
}

export interface MountChoice {
  mounts: Mount[];
  skipped: { mountPoint: string; reason: string }[];
}

const pseudo = new Set(
  (
    "anon_inodefs autofs bdev binfmt_misc bpf cgroup cgroup2 configfs cpuset dax debugfs devfs devpts devtmpfs drm " +
    "efivarfs erofs fusectl fuse.lxcfs fuse.portal fuse.gvfsd-fuse hugetlbfs inotifyfs iso9660 mqueue none nsfs " +
    "overlay pidfd pipefs proc procfs pstore ramfs resctrl rootfs rpc_pipefs secretmem securityfs selinuxfs sockfs " +
    "squashfs swap sysfs tmpfs tracefs udf usbfs"
  ).split(" "),
);
const network = new Set("9p afs beegfs ceph cifs coda gfs2 lustre ncpfs nfs nfs4 ocfs2 smb3 smbfs virtiofs".split(" "));
const skippedPath =
  /^\/(?:dev|proc|sys|var\/lib\/(?:docker|containers|containerd)|run\/(?:docker|containerd|credentials))(?:\/|$)/;
const containerFile = /\/(?:docker|containers|containerd|kubelet)\//;

/** Backed by a server or a program: it may hang, and should be measured where it is. */
export function isNetworkMount(fsType: string): boolean {
  return network.has(fsType) || fsType === "fuse" || fsType.startsWith("fuse.");
}

/** /proc/*\/mountinfo escapes space, tab, newline and backslash as three octal digits. */
function decode(field: string): string {
  if (!field.includes("\\")) return field;
  const bytes = field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return bytes;
}

/** Files are read as latin1 to preserve every path; displayed names are UTF-8. */
const utf8 = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

/**
 * Selects the disks of a mountinfo (proc_pid_mountinfo(5), read as latin1): no pseudo file systems, nothing of
 * container engines, network mounts only if configured, and each device once, at its shortest mount point. An overlay
 * at `/` counts only if there is nothing else, as in a container.
 */
export function chooseMounts(mountinfo: string, includeNetwork: boolean): MountChoice {
  const byDevice = new Map<string, Mount>();
  const skipped: MountChoice["skipped"] = [];
  let overlayRoot: Mount | undefined;
  for (const line of mountinfo.split("\n")) {
    const [left = "", right] = line.split(" - ");
    if (right === undefined) continue;
    const [, , deviceNumber = "", rootField = "", pointField = ""] = left.split(" ");
    const [fsType = "", deviceField = ""] = right.split(" ");
    const mountPoint = utf8(decode(pointField));
    const mount = { deviceNumber, device: utf8(decode(deviceField)), mountPoint, fsType };
    if (fsType === "overlay" && mountPoint === "/") overlayRoot = mount;
    if (pseudo.has(fsType)) continue;
    if (skippedPath.test(mountPoint) || containerFile.test(rootField)) {
      skipped.push({ mountPoint, reason: "belongs to the system or to a container" });
    } else if (isNetworkMount(fsType) && !includeNetwork) {
      skipped.push({ mountPoint, reason: `${fsType} is a network mount; SONDE_AGENT_NETWORK_MOUNTS=1 includes it` });
    } else {
      const other = byDevice.get(deviceNumber);
      const shorter = other === undefined || mountPoint.length < other.mountPoint.length ? mount : other;
      if (other !== undefined) {
        const longer = shorter === mount ? other : mount;
        skipped.push({ mountPoint: longer.mountPoint, reason: `the same device as ${shorter.mountPoint}` });
      }
      byDevice.set(deviceNumber, shorter);
    }
  }
  if (byDevice.size === 0 && overlayRoot !== undefined) return { mounts: [overlayRoot], skipped };
  return { mounts: [...byDevice.values()], skipped };
}

/** Prefers the mounts of the host's first process, because a service may see fewer. */
export function readMounts(roots: Roots, includeNetwork: boolean): MountChoice {
  const text = readText(join(roots.proc, "1/mountinfo")) || readText(join(roots.proc, "self/mountinfo"));
  return chooseMounts(text ?? "", includeNetwork);
}
