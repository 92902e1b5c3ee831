import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AgentSample, AgentSampleSchema, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";

export type SampleFields = {
  agentId: number;
  atMs: number;
  cpu?: number | null;
  memory?: number;
  load?: [number, number, number];
  disks?: Record<string, number>;
  /** Receive and send rate; `null` if unknown. */
  network?: Record<string, [number | null, number | null]>;
  bootId?: string;
  sequence?: number;
  receivedAtMs?: number;
  skewMs?: number;
};

/** A sample as published by agent-ingest; by default without boot id and sequence. */
export function sampleOf({ agentId, atMs, ...fields }: SampleFields): AgentSample {
  const [one, five, fifteen] = fields.load ?? [0.5, 0.4, 0.3];
  const { cpu = 10, memory = 50, bootId, sequence } = fields;
  return create(AgentSampleSchema, {
    agentId,
    receivedAtMs: fields.receivedAtMs ?? atMs + 40,
    skewMs: fields.skewMs ?? 0,
    sample: {
      at: timestampFromMs(atMs),
      cpu: cpu === null ? { cores: 4 } : { usage: cpu, cores: 4 },
      memory: { total: 8e9, used: 4e9, free: 3e9, usage: memory },
      load: { one, five, fifteen },
      disks: Object.entries(fields.disks ?? { "/": 40 }).map(([mountPoint, usage]) => ({
        device: "/dev/sda1",
        mountPoint,
        fsType: "ext4",
        total: 1e11,
        used: usage * 1e9,
        free: 1e11 - usage * 1e9,
        usage,
        // File systems that allocate inodes on demand report none.
        ...(mountPoint.startsWith("/btrfs") ? {} : { inodesTotal: 1_000, inodesUsed: usage * 10 }),
      })),
      network: Object.entries(fields.network ?? { eth0: [1_000, 500] }).map(([name, [receiveRate, sendRate]]) => ({
        interface: name,
        ...(receiveRate === null ? {} : { receiveRate }),
        ...(sendRate === null ? {} : { sendRate }),
      })),
      ...(bootId === undefined ? {} : { bootId }),
      ...(sequence === undefined ? {} : { sequence }),
    },
  });
}

export const sampleBatchOf = (samples: readonly AgentSample[]): Uint8Array =>
  toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples: [...samples] }));
