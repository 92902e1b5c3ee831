import { type Api, apiOf } from "@sonde/testing/api";

const gibibyte = 1024 ** 3;
const long = "/srv/a-mount-point-without-a-single-space-that-goes-on-and-on/and-on";

/** A sample with every field, some of them long. */
function sampleOf(sequence: number, fullestPercent: number) {
  const percents = [19.5, 56.6, fullestPercent];
  const disks = ["/", "/var/lib/postgresql", long].map((mountPoint, index) => ({
    device: `/dev/mapper/volumes-${index}`,
    mountPoint,
    fsType: "ext4",
    total: 512 * gibibyte,
    used: 5.12 * (percents[index] ?? 0) * gibibyte,
    free: 5.12 * (100 - (percents[index] ?? 0)) * gibibyte,
    usage: percents[index] ?? 0,
    inodesTotal: 32_000_000,
    inodesUsed: 410_000,
  }));
  const network = ["enp0s31f6", "wlp2s0"].map((name, index) => ({
    interface: name,
    receiveRate: index === 0 ? 1_250_000 + sequence : null,
    sendRate: index === 0 ? 80_000 + sequence : null,
    received: 900 * gibibyte + sequence,
    sent: 40 * gibibyte + sequence,
    packetsReceived: 700_000_000,
    packetsSent: 90_000_000,
  }));
  return {
    at: new Date().toISOString(),
    cpu: { usage: 20 + (sequence % 50), cores: 8, model: "A Processor of Some Length @ 3.60GHz" },
    memory: {
      total: 64 * gibibyte,
      used: 40 * gibibyte,
      free: 4 * gibibyte,
      usage: 62.5,
      available: 24 * gibibyte,
      swapTotal: 8 * gibibyte,
      swapUsed: gibibyte,
    },
    disks,
    network,
    load: { one: 1.25, five: 0.9, fifteen: 0.4 },
    uptime: 1_000_000 + sequence,
    bootId: "e2e",
    sequence,
    temperatures: [{ sensor: "Package id 0", celsius: 54 }],
    gpus: [{ name: "A Graphics Processor", usage: 12, memoryUsed: gibibyte, memoryTotal: 8 * gibibyte }],
    containers: 7,
    scope: "host",
    footprint: { rss: 55_000_000, queued: 0 },
  };
}

export type Reporting = {
  /** Sets the usage of the fullest disk, in percent. */
  fillDisk(percent: number): void;
  stop(): void;
};

/** Registers an agent through the API and reports until `stop`. Resolves after the first report. */
export async function startReporting(
  baseUrl: string,
  admin: Api,
  name: string,
  fullestPercent = 93.75,
): Promise<Reporting> {
  const { token } = await admin.send<{ token: string }>("POST", "/api/agents/tokens", { name });
  const host = { hostname: "db-1.internal", ipAddresses: ["10.0.0.7", "2001:db8::7"], os: "Debian 12", version: "1.0" };
  const registration = { token, ...host, interval: 2 };
  const { key } = await apiOf(baseUrl).send<{ key: string }>("POST", "/agent/v1/register", registration);
  const agent = apiOf(baseUrl, key);
  let sequence = 0;
  let percent = fullestPercent;
  const report = async () => {
    sequence += 1;
    await agent.send("POST", "/agent/v1/report", { samples: [sampleOf(sequence, percent)], interval: 2 });
  };
  await report();
  // A report may be lost on a busy machine; the next one follows.
  const timer = setInterval(() => void report().catch(() => {}), 2000);
  return {
    fillDisk: (usage) => {
      percent = usage;
    },
    stop: () => clearInterval(timer),
  };
}
