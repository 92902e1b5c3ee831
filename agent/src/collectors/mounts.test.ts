import { expect, test } from "vitest";
import { hostOf } from "../testing/fixture.ts";
import { chooseMounts, readMounts } from "./disks.ts";

const line = (device: string, point: string, type: string, source = "/dev/x", rootField = "/") =>
  `1 2 ${device} ${rootField} ${point} rw,relatime shared:1 - ${type} ${source} rw`;
const points = (lines: string[], network = false) =>
  chooseMounts(lines.join("\n"), network).mounts.map((mount) => mount.mountPoint);

test("pseudo file systems are not disks", () => {
  const types = "proc sysfs tmpfs ramfs devtmpfs cgroup2 overlay squashfs erofs nsfs autofs bpf fuse.lxcfs".split(" ");
  expect(points(types.map((type, index) => line(`0:${index}`, `/mnt/${index}`, type)))).toEqual([]);
});

test("mounts of the system and of container engines are omitted with a reason", () => {
  const choice = chooseMounts(
    [
      line("8:1", "/", "ext4"),
      line("8:2", "/var/lib/docker/volumes/a", "ext4"),
      line("8:3", "/var/lib/containers/storage/x", "xfs"),
      line("8:4", "/proc/x", "ext4"),
      line("8:5", "/sys/x", "ext4"),
      line("8:6", "/dev/x", "ext4"),
      line("8:7", "/etc/hosts", "ext4", "/dev/sda1", "/var/lib/docker/containers/abc/hosts"),
    ].join("\n"),
    false,
  );
  expect(choice.mounts.map((mount) => mount.mountPoint)).toEqual(["/"]);
  expect(choice.skipped).toHaveLength(6);
});

test("folders with a similar prefix are included", () => {
  expect(points([line("8:1", "/development", "ext4"), line("8:2", "/system", "xfs")])).toEqual([
    "/development",
    "/system",
  ]);
});

test("a device appears once, at its shortest mount point: bind mounts and btrfs subvolumes", () => {
  const lines = [
    line("8:1", "/srv/data", "ext4"),
    line("8:1", "/srv", "ext4"),
    line("0:40", "/home", "btrfs"),
    line("0:40", "/", "btrfs"),
  ];
  expect(points(lines)).toEqual(["/srv", "/"]);
});

test("spaces, tabs, backslashes and UTF-8 in names are decoded", () => {
  const latin1 = Buffer.from(line("8:1", "/mnt/my\\040disk\\011\\134ü", "ext4", "/dev/a\\040b"), "utf8").toString(
    "latin1",
  );
  expect(chooseMounts(latin1, false).mounts[0]).toMatchObject({ mountPoint: "/mnt/my disk\t\\ü", device: "/dev/a b" });
});

test("an overlay at / counts only if there is nothing else", () => {
  const overlay = line("0:50", "/", "overlay", "overlay");
  expect(points([overlay, line("0:51", "/run", "tmpfs")])).toEqual(["/"]);
  expect(points([overlay, line("8:1", "/data", "ext4")])).toEqual(["/data"]);
  expect(points([line("0:50", "/merged", "overlay")])).toEqual([]);
});

test("network mounts are measured only if configured", () => {
  const lines = [line("8:1", "/", "ext4"), line("0:60", "/nfs", "nfs4", "server:/x"), line("0:61", "/s", "fuse.sshfs")];
  expect(points(lines)).toEqual(["/"]);
  expect(points(lines, true)).toEqual(["/", "/nfs", "/s"]);
  expect(points([line("8:9", "/win", "fuseblk")])).toEqual(["/win"]);
});

test("there can be any number of optional fields", () => {
  expect(
    points([
      "1 2 8:1 / / rw - ext4 /dev/a rw",
      "1 2 8:2 / /b rw shared:1 master:2 propagate_from:3 - ext4 /dev/b rw",
      "",
    ]),
  ).toEqual(["/", "/b"]);
});

test("the first process's mounts take precedence over the agent's", () => {
  const host = hostOf({ "proc/self/mountinfo": line("8:2", "/own", "ext4") });
  expect(readMounts(host, false).mounts[0]?.mountPoint).toBe("/own");
  host.write("proc/1/mountinfo", line("8:1", "/first", "ext4"));
  expect(readMounts(host, false).mounts[0]?.mountPoint).toBe("/first");
});
