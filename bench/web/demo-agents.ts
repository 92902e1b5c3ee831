import about from "../../package.json" with { type: "json" };
import type { Sample } from "@sonde/proto/http/agents/agents";
import { apiOf } from "@sonde/testing/api";

const gib = 2 ** 30;
const stepMs = 60_000;
const dayOfSteps = 24 * 60;
const samplesAReport = 480;
const reportEveryMs = 15_000;

/** `busy` is what its processor, memory and first disk are filled to, percent. */
const machines = [
  { name: "web-1", os: "Debian GNU/Linux 12 (bookworm)", cores: 8, memory: 32, busy: [34, 48, 41], network: 4e6 },
  { name: "db-primary", os: "Ubuntu 24.04.2 LTS", cores: 32, memory: 256, busy: [61, 82, 73], network: 22e6 },
  { name: "cache-2", os: "Alpine Linux v3.21", cores: 4, memory: 16, busy: [12, 93, 18], network: 9e6 },
  { name: "backup", os: "Debian GNU/Linux 12 (bookworm)", cores: 2, memory: 4, busy: [4, 22, 96], network: 3e5 },
];
type Machine = (typeof machines)[number];

/**
 * Four machines with a day of made-up samples behind them, which go on reporting until `stop`.
 * @param baseUrl of the product; `send` an admin's
 */
export async function startAgents(baseUrl: string, send: ReturnType<typeof apiOf>["send"]) {
  const anyone = apiOf(baseUrl);
  const keys = new Map<Machine, string>();
  for (const [index, machine] of machines.entries()) {
    const { token } = await send<{ token: string }>("POST", "/api/agents/tokens", { name: machine.name });
    const { key } = await anyone.send<{ key: string }>("POST", "/agent/v1/register", {
      token,
      hostname: `${machine.name}.example.com`,
      ipAddresses: [`10.20.0.${11 + index}`, `2001:db8::${11 + index}`],
      os: machine.os,
      version: about.version,
      interval: stepMs / 1000,
    });
    keys.set(machine, key);
    const nowMs = Date.now();
    const steps = Array.from({ length: dayOfSteps }, (_, step) => nowMs - (dayOfSteps - step) * stepMs);
    for (let from = 0; from < steps.length; from += samplesAReport) {
      const samples = steps.slice(from, from + samplesAReport).map((atMs) => sampleOf(machine, atMs));
      await report(baseUrl, key, samples);
    }
  }
  const tell = () =>
    Promise.all([...keys].map(([machine, key]) => report(baseUrl, key, [sampleOf(machine, Date.now())])));
  await tell();
  const timer = setInterval(() => void tell().catch(() => undefined), reportEveryMs); // The product may be going away.
  return { stop: () => clearInterval(timer) };
}

function report(baseUrl: string, key: string, samples: Sample[]) {
  return apiOf(baseUrl, key).send("POST", "/agent/v1/report", { sentAt: new Date().toISOString(), samples });
}

/** What a machine's figures were at an instant: a slow wave over the day, a quicker one, and some noise. */
function sampleOf({ cores, memory, busy, network }: Machine, atMs: number): Sample {
  const day = Math.sin((atMs / 86_400_000) * 2 * Math.PI);
  const quick = Math.sin(atMs / 1_300_000) * Math.sin(atMs / 410_000);
  const [cpu = 0, used = 0, disk = 0] = busy;
  const usage = bounded(cpu * (1 + 0.3 * day + 0.35 * quick) + Math.random() * 4);
  const memoryUsage = bounded(used + 3 * day + Math.random());
  const rate = network * (1 + 0.5 * day + 0.4 * quick + Math.random() * 0.1);
  const total = memory * gib;
  const load = (usage / 100) * cores;
  const diskOf = (device: string, mountPoint: string, size: number, percent: number) => {
    const filled = (size * percent) / 100;
    return { device, mountPoint, fsType: "ext4", total: size, used: filled, free: size - filled, usage: percent };
  };
  return {
    at: new Date(atMs).toISOString(),
    cpu: { usage, cores, model: "AMD EPYC 7543P" },
    memory: { total, used: (total * memoryUsage) / 100, free: (total * (100 - memoryUsage)) / 100, usage: memoryUsage },
    disks: [diskOf("/dev/nvme0n1p2", "/", 120 * gib, 38), diskOf("/dev/nvme1n1", "/srv", 2000 * gib, disk)],
    network: [
      {
        interface: "eth0",
        receiveRate: rate,
        sendRate: rate * 0.6,
        received: (network * atMs) / 1e6,
        sent: (network * atMs) / 2e6,
        packetsReceived: Math.round(atMs / 1e4),
        packetsSent: Math.round(atMs / 2e4),
      },
    ],
    load: { one: load, five: load * 0.95, fifteen: load * 0.9 },
    uptime: 3_600_000 + Math.floor((atMs % 86_400_000) / 1000),
    bootId: "made-up",
    sequence: atMs,
  };
}

const bounded = (percent: number) => Math.min(100, Math.max(0, percent));
