import type { BigIntStatsFs } from "node:fs";
import { expect, test, vi } from "vitest";
import { hostOf } from "../testing/fixture.ts";
import { type MountStat, diskFigures, diskReader } from "./disks.ts";

const fs = {
  type: 0n,
  bsize: 4096n,
  blocks: 1000n,
  bfree: 400n,
  bavail: 350n,
  files: 100n,
  ffree: 25n,
} as BigIntStatsFs;
const mount = { deviceNumber: "8:1", device: "/dev/sda1", mountPoint: "/", fsType: "ext4" };
const answer: MountStat = { fs, device: (8n << 8n) | 1n, isFolder: true };
const line = (device: string, point: string, type = "ext4") => `1 2 ${device} / ${point} rw - ${type} /dev/x rw\n`;

test("usage matches df: reserved blocks are neither used nor available", () => {
  const figures = diskFigures(mount, fs);
  expect(figures).toMatchObject({
    total: 4_096_000,
    used: 600 * 4096,
    free: 350 * 4096,
    inodesTotal: 100,
    inodesUsed: 75,
  });
  expect(figures?.usage).toBeCloseTo((600 / 950) * 100);
});

test("a full disk is 100 percent, one without blocks is omitted, one without inodes has no inode figures", () => {
  expect(diskFigures(mount, { ...fs, bfree: 0n, bavail: 0n } as BigIntStatsFs)?.usage).toBe(100);
  expect(diskFigures(mount, { ...fs, blocks: 0n } as BigIntStatsFs)).toBeUndefined();
  expect(diskFigures(mount, { ...fs, files: 0n } as BigIntStatsFs)).not.toHaveProperty("inodesTotal");
});

test("a hanging mount is omitted and skipped until it responds", async () => {
  const host = hostOf({ "proc/1/mountinfo": line("8:1", "/") + line("8:2", "/hung") });
  const asked: string[] = [];
  let wake: (stat: MountStat) => void = () => {};
  const reader = diskReader(host, {
    includeNetwork: false,
    waitMs: 20,
    ask: (path) => {
      asked.push(path.slice(host.root.length));
      if (!path.endsWith("/hung")) return Promise.resolve(answer);
      return new Promise((resolve) => (wake = resolve));
    },
  });
  expect((await reader.read()).map((disk) => disk.mountPoint)).toEqual(["/"]);
  expect(reader.skipped()[0]?.reason).toMatch(/did not respond/);
  await reader.read();
  expect(asked).toEqual(["/", "/hung", "/"]);
  wake({ ...answer, device: (8n << 8n) | 2n });
  await new Promise((resolve) => setImmediate(resolve));
  const again = reader.read();
  await vi.waitUntil(() => asked.length === 5, { interval: 1 });
  wake({ ...answer, device: (8n << 8n) | 2n });
  expect((await again).map((disk) => disk.mountPoint)).toEqual(["/", "/hung"]);
});

test("two hanging mounts stop further calls, so that threads stay available", async () => {
  const host = hostOf({ "proc/1/mountinfo": ["/a", "/b", "/c"].map((point, i) => line(`8:${i}`, point)).join("") });
  let asked = 0;
  const ask = () => {
    asked += 1;
    return new Promise<MountStat>(() => {});
  };
  const reader = diskReader(host, { includeNetwork: false, waitMs: 5, ask });
  expect(await reader.read()).toEqual([]);
  expect(asked).toBe(2);
  expect(reader.skipped().at(-1)?.reason).toMatch(/skipped/);
});

test("files that an engine mounts, hidden paths and removed disks are omitted with a reason", async () => {
  const host = hostOf({ "proc/1/mountinfo": line("8:1", "/file") + line("8:3", "/hidden") + line("8:4", "/gone") });
  const reader = diskReader(host, {
    includeNetwork: false,
    ask: async (path) => {
      if (path.endsWith("/gone")) throw new Error("ENOENT: no such file or directory");
      return path.endsWith("/file") ? { ...answer, isFolder: false } : answer;
    },
  });
  expect(await reader.read()).toEqual([]);
  expect(reader.skipped().map((entry) => entry.reason)).toEqual([
    "is a file",
    "is not visible to this process",
    "ENOENT: no such file or directory",
  ]);
});

test("local disks are measured before network mounts", async () => {
  const host = hostOf({ "proc/1/mountinfo": line("0:9", "/nfs", "nfs4") + line("8:1", "/") });
  const asked: string[] = [];
  const ask = async (path: string) => {
    asked.push(path.slice(host.root.length));
    return answer;
  };
  await diskReader(host, { includeNetwork: true, ask }).read();
  expect(asked).toEqual(["/", "/nfs"]);
});
