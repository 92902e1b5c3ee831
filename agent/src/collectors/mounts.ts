import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

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

/** A file system behind a server or a program: it may hang, and it is measured where it lives. */
export function isNetworkMount(fsType: string): boolean {
  return network.has(fsType) || fsType === "fuse" || fsType.startsWith("fuse.");
}

/** Space, tab, newline and backslash are three octal digits in /proc/*\/mountinfo. */
function decode(field: string): string {
  if (!field.includes("\\")) return field;
  const bytes = field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return bytes;
}

/** Files are read as bytes, so that every path survives; names of people are UTF-8. */
const utf8 = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

/**
 * Selects the disks of a mountinfo (proc_pid_mountinfo(5), read as latin1): no pseudo file systems, nothing of
 * container engines, network mounts only if configured, each device once at its shortest mount point. An overlay at `/`
 * counts only if there is nothing else, as in a container.
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

/** The mounts of the host as its first process sees them: a service's own view may be narrowed. */
export function readMounts(roots: Roots, includeNetwork: boolean): MountChoice {
  const text = readText(join(roots.proc, "1/mountinfo")) || readText(join(roots.proc, "self/mountinfo"));
  return chooseMounts(text ?? "", includeNetwork);
}
