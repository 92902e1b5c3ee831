import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { agentClock } from "./clock.ts";
import type { Collected } from "./collector.ts";
import { linuxCollector } from "./linux.ts";
import { rootsBelow } from "./roots.ts";

// Compares this machine's figures with those of its tools. They change, so each tool runs before and after.
const roots = rootsBelow("");
const collector = linuxCollector({
  roots,
  clock: agentClock(roots, randomUUID()),
  includeNetworkMounts: false,
  scope: "host",
});
const onLinux = process.platform === "linux";

function has(tool: string): boolean {
  try {
    execFileSync(tool, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const hasIp =
  onLinux &&
  (() => {
    try {
      return execFileSync("ip", ["-V"], { encoding: "utf8" }).length > 0;
    } catch {
      return false;
    }
  })();

/** Collects between two readings of a tool. Retries `fits`, because figures jump on a busy machine. */
async function beside<T>(tool: () => T, fits: (before: T, ours: Collected, after: T) => void): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const before = tool();
    const ours = await collector.collect();
    try {
      return fits(before, ours, tool());
    } catch (error) {
      if (attempt === 10) throw error;
      await sleep(100);
    }
  }
}

function expectBetween(value: number | undefined, one: number, other: number, slack: number): void {
  expect(value).toBeGreaterThanOrEqual(Math.min(one, other) - slack);
  expect(value).toBeLessThanOrEqual(Math.max(one, other) + slack);
}

test.skipIf(!onLinux || !has("free"))("memory and swap are those of free (skipped without procps)", async () => {
  const free = () => {
    const rows = execFileSync("free", ["-b"], { encoding: "utf8" }).split("\n");
    const numbers = (row = "") => row.split(/\s+/).slice(1).map(Number);
    return { memory: numbers(rows[1]), swap: numbers(rows[2]) };
  };
  await beside(free, (before, { memory }, after) => {
    expect(memory?.total).toBe(before.memory[0]);
    expectBetween(memory?.free, before.memory[2]!, after.memory[2]!, 2 ** 20);
    expectBetween(memory?.available, before.memory[5]!, after.memory[5]!, 2 ** 20);
    expect(memory!.used).toBe(memory!.total - memory!.available!);
    expect(memory?.swapTotal).toBe(before.swap[0]);
  });
});

test.skipIf(!onLinux || !has("df"))(
  "each disk's sizes, usage and inodes match df (skipped without coreutils)",
  async () => {
    const fields = "source,fstype,size,used,avail,pcent,itotal,iused";
    const df = (point: string) => {
      const output = execFileSync("df", ["-B1", `--output=${fields}`, point], { encoding: "utf8" });
      return output.trim().split("\n")[1]!.trim().split(/\s+/);
    };
    expect((await collector.collect()).disks.length).toBeGreaterThan(0);
    await beside(
      () => (row: { mountPoint: string }) => df(row.mountPoint),
      (ask, { disks }) => {
        for (const disk of disks) {
          const [, fsType, size, used, available, percent = "", inodes, inodesUsed] = ask(disk);
          expect(disk.fsType).toBe(fsType);
          expect(disk.total).toBe(Number(size));
          expectBetween(disk.used, Number(used), Number(used), 2 ** 24);
          expectBetween(disk.free, Number(available), Number(available), 2 ** 24);
          // df rounds up.
          expectBetween(disk.usage, Number.parseInt(percent, 10) - 1, Number.parseInt(percent, 10), 0.2);
          if (disk.inodesTotal !== undefined) {
            expectBetween(disk.inodesTotal, Number(inodes), Number(inodes), 5000);
            expectBetween(disk.inodesUsed, Number(inodesUsed), Number(inodesUsed), 5000);
          }
        }
      },
    );
  },
);

test.skipIf(!hasIp)("each interface's counters match ip -s (skipped without iproute2)", async () => {
  interface Link {
    ifname: string;
    stats64: Record<"rx" | "tx", { bytes: number; packets: number }>;
  }
  const ip = () => JSON.parse(execFileSync("ip", ["-s", "-j", "link"], { encoding: "utf8" })) as Link[];
  await beside(ip, (before, { network }, after) => {
    expect(network.length).toBeGreaterThan(0);
    for (const entry of network) {
      const [first, last] = [before, after].map(
        (links) => links.find((link) => link.ifname === entry.interface)!.stats64,
      );
      expectBetween(entry.received, first!.rx.bytes, last!.rx.bytes, 0);
      expectBetween(entry.sent, first!.tx.bytes, last!.tx.bytes, 0);
      expectBetween(entry.packetsReceived, first!.rx.packets, last!.rx.packets, 0);
      expectBetween(entry.packetsSent, first!.tx.packets, last!.tx.packets, 0);
    }
  });
});

test.skipIf(!onLinux)("load, uptime and cores match /proc", async () => {
  const proc = () => ({
    load: readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 3).map(Number),
    uptime: Number.parseFloat(readFileSync("/proc/uptime", "utf8")),
  });
  await beside(proc, (before, { load, uptime, cpu }, after) => {
    expectBetween(load?.one, before.load[0]!, after.load[0]!, 0);
    expectBetween(load?.fifteen, before.load[2]!, after.load[2]!, 0);
    expectBetween(uptime, before.uptime, after.uptime, 0);
    expect(cpu?.cores).toBe(readFileSync("/proc/cpuinfo", "utf8").match(/^processor/gm)?.length);
  });
});

test.skipIf(!onLinux)("CPU usage matches the sum of the per-core lines of /proc/stat", async () => {
  const cores = () => {
    const lines = readFileSync("/proc/stat", "utf8")
      .split("\n")
      .filter((line) => /^cpu\d/.test(line));
    const sum = (columns: number[]) =>
      lines.reduce((total, line) => total + columns.reduce((s, c) => s + Number(line.split(" ")[c]), 0), 0);
    return { idle: sum([4, 5]), total: sum([1, 2, 3, 4, 5, 6, 7, 8]) };
  };
  for (let attempt = 1; ; attempt += 1) {
    await collector.collect();
    const before = cores();
    await sleep(1000);
    const ours = await collector.collect();
    const after = cores();
    const theirs = 100 * (1 - (after.idle - before.idle) / (after.total - before.total));
    if (Math.abs(ours.cpu!.usage! - theirs) <= 3) return;
    expect(attempt, `${ours.cpu?.usage} beside ${theirs}`).toBeLessThan(8);
  }
});
