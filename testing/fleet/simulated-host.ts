import type { Collected } from "@sonde/agent/collectors/collector";
import { randomUUID } from "node:crypto";

const gibibyte = 2 ** 30;
const bootBeforeMs = 40 * 24 * 3_600_000;
const disks = [
  { device: "/dev/nvme0n1p2", mountPoint: "/", totalGib: 80 },
  { device: "/dev/nvme1n1p1", mountPoint: "/var/lib/postgresql", totalGib: 400 },
];

/** A random walk between two bounds. */
function wanderer(low: number, high: number): () => number {
  let value = low + Math.random() * (high - low);
  const step = (high - low) / 10;
  return () => (value = Math.min(high, Math.max(low, value + (Math.random() - 0.5) * step)));
}

/** A server with two disks and two interfaces. Its figures vary but stay below all thresholds. */
export function simulatedHost(intervalMs: number): () => Collected {
  const bootId = randomUUID();
  const upSinceMs = performance.now() - Math.random() * bootBeforeMs;
  const [cpu, load, celsius] = [wanderer(2, 70), wanderer(0.1, 6), wanderer(38, 62)];
  const memoryUsed = wanderer(3 * gibibyte, 11 * gibibyte);
  const mounts = disks.map((disk) => ({ ...disk, used: wanderer(0.3, 0.7) }));
  const links = ["eth0", "eth1"].map((name) => ({
    name,
    rate: wanderer(1_000, 4_000_000),
    counted: Math.random() * 1e12,
  }));
  return () => {
    const monotonicMs = performance.now() - upSinceMs;
    const [total, used, one] = [16 * gibibyte, Math.round(memoryUsed()), load()];
    return {
      at: { wallMs: Date.now(), monotonicMs, bootId },
      cpu: { usage: cpu(), cores: 8, model: "AMD EPYC 7763 64-Core Processor" },
      memory: {
        total,
        used,
        free: Math.round((total - used) / 3),
        usage: (used / total) * 100,
        available: total - used,
        swapTotal: 2 * gibibyte,
        swapUsed: 0,
      },
      disks: mounts.map(({ device, mountPoint, totalGib, used: share }) => {
        const size = totalGib * gibibyte;
        const written = Math.round(size * share());
        const inodesTotal = totalGib * 65_536;
        return {
          device,
          mountPoint,
          fsType: "ext4",
          total: size,
          used: written,
          free: size - written,
          usage: (written / size) * 100,
          inodesTotal,
          inodesUsed: Math.round(inodesTotal / 9),
        };
      }),
      network: links.map((link) => {
        const rate = link.rate();
        link.counted += (rate * intervalMs) / 1000;
        const [received, sent] = [Math.round(link.counted), Math.round(link.counted / 3)];
        return {
          interface: link.name,
          receiveRate: rate,
          sendRate: rate / 3,
          received,
          sent,
          packetsReceived: Math.round(received / 900),
          packetsSent: Math.round(sent / 700),
        };
      }),
      load: { one, five: one * 0.9, fifteen: one * 0.8 },
      uptime: monotonicMs / 1000,
      temperatures: [{ sensor: "k10temp Tctl", celsius: Math.round(celsius() * 10) / 10 }],
      gpus: [],
      containers: 12,
      scope: "host",
    };
  };
}
