import about from "../package.json" with { type: "json" };
import type { Agent, MetricPoint, Sample } from "@sonde/proto/http/agents/agents";
import type { AgentDownload } from "@sonde/proto/http/agents/downloads";
import { agentInstall, agentPlatforms } from "@sonde/proto/http/agents/install";
import { installLine } from "@sonde/proto/http/agents/install-script";
import { at, noise } from "./fixture-data.ts";

const gib = 1024 ** 3;
const minute = 60_000;
const day = 86_400_000;
const ranges: Record<string, { step: number; count: number }> = {
  "1h": { step: 60, count: 60 },
  "24h": { step: 300, count: 288 },
  "30d": { step: 3600, count: 720 },
};
const names = ["web-1", "web-2", "db-primary", "db-replica", "支付网关", "build-runner", "cache", "mail"];

function makeSample(id: number): Sample {
  const memory = 8 * gib * (1 + (id % 4));
  const used = memory * (0.25 + noise(id) * 0.6);
  const disk = (mountPoint: string, device: string, total: number, usage: number) => ({
    device,
    mountPoint,
    fsType: mountPoint === "/" ? "ext4" : "xfs",
    total,
    used: (total * usage) / 100,
    free: total * (1 - usage / 100),
    usage,
    inodesTotal: 6_553_600,
    inodesUsed: Math.round(65_536 * usage),
  });
  return {
    at: at(4000),
    cpu: {
      usage: Math.round(noise(id * 3) * 1000) / 10,
      cores: 4 * (1 + (id % 3)),
      model: "AMD EPYC 7543P 32-Core Processor",
    },
    memory: {
      total: memory,
      used,
      free: memory - used,
      usage: (used / memory) * 100,
      swapTotal: 4 * gib,
      swapUsed: gib / 3,
    },
    disks: [
      disk("/", "/dev/nvme0n1p2", 120 * gib, id === 3 ? 93.4 : 30 + noise(id * 5) * 50),
      disk("/var/lib/data", "/dev/mapper/vg0-data", 1900 * gib, 20 + noise(id * 7) * 60),
    ],
    network: ["eth0", "wg0"].map((name, index) => ({
      interface: name,
      receiveRate: Math.round(noise(id + index) * 4_000_000),
      sendRate: Math.round(noise(id + index + 9) * 900_000),
      received: 812 * gib,
      sent: 91 * gib,
      packetsReceived: 918_273_645,
      packetsSent: 192_837_465,
    })),
    load: { one: 0.42 + id / 10, five: 0.51, fifteen: 0.47 },
    uptime: 12 * 86_400 + 4 * 3600,
    ...(id === 1
      ? {
          temperatures: [
            { sensor: "coretemp Package id 0", celsius: 54 },
            { sensor: "nvme Composite", celsius: 38.9 },
          ],
          gpus: [{ name: "NVIDIA L4", usage: 63, memoryUsed: 11 * gib, memoryTotal: 24 * gib }],
          containers: 14,
        }
      : {}),
    footprint: { rss: 48 * 1024 ** 2, queued: 0 },
  };
}

const globalThresholds = { cpu: 90, memory: 90, disk: 90, scope: "global" as const };

export function makeAgent(id: number): Agent {
  const status = id === 4 ? "offline" : id === 6 ? "connecting" : "online";
  const base = names[(id - 1) % names.length] ?? "host";
  const agent: Agent = {
    id,
    name: id > names.length ? `${base} ${id}` : base,
    hostname: `host-${id}.internal.example.com`,
    ipAddresses: [`10.20.0.${id}`, `fe80::5054:ff:fe12:${id}`],
    os: id % 3 === 0 ? "Ubuntu 24.04.3 LTS" : "Debian GNU/Linux 13 (trixie)",
    version: id === 3 || id === 4 ? "0.9.0" : about.version,
    status,
    ...(id === 2 || id === 4 ? { inMaintenance: true as const } : {}),
    lastSeen: status === "connecting" ? null : at(status === "offline" ? 42 * minute : 4000),
    uptime: status === "connecting" ? null : 12 * 86_400 + 4 * 3600,
    interval: 10,
    dependsOn: [],
    tags: id % 3 === 0 ? [] : id % 2 === 0 ? ["eu"] : ["eu", "production"],
    thresholds: id % 4 === 0 ? { cpu: 70, memory: 80, disk: null, scope: "agent" } : globalThresholds,
    createdAt: at(20 * day),
    updatedAt: at(2 * day),
  };
  return status === "connecting" ? agent : { ...agent, latest: makeSample(id) };
}

/** Series of a range. A tenth of the steps is missing, as if the machine had been off. */
export function makeMetrics(range: string) {
  const { step, count } = ranges[range] ?? { step: 60, count: 60 };
  const first = Math.floor(Date.now() / (step * 1000)) * step * 1000 - (count - 1) * step * 1000;
  const series = (seed: number, base: number, spread: number): MetricPoint[] =>
    Array.from({ length: count }, (_, index) => {
      const start = new Date(first + index * step * 1000).toISOString();
      if (index > count * 0.55 && index < count * 0.65) return { start, avg: null, max: null };
      const wave = Math.sin((index / count) * 9 + seed) * 0.3 + 0.5;
      const avg = base + spread * (wave * 0.7 + noise(seed * 1000 + index) * 0.3);
      return { start, avg, max: avg + spread * 0.25 * noise(index + seed) };
    });
  return {
    range,
    step,
    cpu: series(1, 5, 60),
    memory: series(2, 40, 20),
    load: { one: series(3, 0.2, 2), five: series(4, 0.3, 1.4), fifteen: series(5, 0.4, 1) },
    disks: { "/": series(6, 60, 4), "/var/lib/data": series(7, 31, 3), "/boot": series(8, 12, 1) },
    network: {
      eth0: { receiveRate: series(9, 20_000, 4_000_000), sendRate: series(10, 9000, 900_000) },
      wg0: { receiveRate: series(11, 100, 9000), sendRate: series(12, 100, 4000) },
    },
  };
}

/** One download of each state. Without `canBuild`, none is being built. */
export function makeDownloads(canBuild: boolean) {
  const states: Omit<AgentDownload, "platform">[] = [
    { status: "building", step: "compress", percent: 71 },
    { status: "absent" },
    { status: "failed", reason: "registry" },
    { status: "waiting" },
    { status: "failed", reason: "tool", tool: "xz" },
  ];
  const downloads = agentPlatforms.map((platform, index) => ({
    platform,
    ...(canBuild ? states[index] : { status: "absent" }),
  }));
  return { source: "here", canBuild, downloads };
}

export function makeToken(origin: string) {
  const token = "sat_3q2Jm9vKx0aB7cD1eF5gH8iL";
  const install = agentInstall({ origin, token, intervalSeconds: 10, downloadUrl: `${origin}/downloads` });
  const scriptSha256 = "0".repeat(64);
  const oneLine = { command: installLine({ origin, token, intervalSeconds: 10, scriptSha256 }), scriptSha256 };
  return { token, expiresAt: new Date(Date.now() + day).toISOString(), install, oneLine };
}
