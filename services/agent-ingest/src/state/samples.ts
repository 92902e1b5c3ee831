import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { EncodedSampleBatchSchema, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";

/** A sample as SAMPLES has it, with its bytes: they are kept as they are, and never encoded again. */
export type ReceivedSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  intervalSeconds?: number;
  sample: SampleFigures;
  bytes: Uint8Array;
};

/** The samples of a message of SAMPLES. @throws where it holds none */
export function parseSamples(message: Uint8Array): ReceivedSample[] {
  return fromBinary(EncodedSampleBatchSchema, message).samples.map(
    ({ agentId, receivedAtMs, skewMs, intervalSeconds, sample }) => {
      // A copy: what is kept of one sample must not hold the memory of all that came with it.
      const bytes = new Uint8Array(sample);
      return { agentId, receivedAtMs, skewMs, intervalSeconds, sample: readSample(bytes), bytes };
    },
  );
}

/** Why a sample belongs to the dead letters; null where it is good. */
export function sampleFault({ agentId, receivedAtMs, sample }: ReceivedSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "another partition's agent";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "an impossible instant";
  if (sample.atMs === undefined) return "no instant";
  return null;
}

/** What the present state needs of a sample: percent, bytes a second, seconds. */
export type SampleFigures = {
  /** Epoch milliseconds. */
  atMs?: number;
  bootId?: string;
  sequence?: number;
  uptime?: number;
  cpu?: { usage?: number };
  memory?: { usage: number };
  load?: { one: number };
  disks: DiskUsage[];
  network: NetworkRates[];
};
export type DiskUsage = { mountPoint: string; usage: number };
export type NetworkRates = { receiveRate?: number; sendRate?: number };

/** @param bytes a `Sample`, encoded @throws where they are none */
export function readSample(bytes: Uint8Array): SampleFigures {
  const { at, ...figures } = fromBinary(SampleSchema, bytes, { readUnknownFields: false });
  return { ...figures, atMs: at && timestampMs(at) };
}

/** The figures of a sample that lists show and sort by. Percent, bytes a second; undefined: not in the sample. */
export type ListedFigures<Disk = DiskUsage, Network = NetworkRates> = {
  cpu: number | undefined;
  memory: number | undefined;
  disk: Disk | undefined;
  network: Network | undefined;
  load: number | undefined;
};
type Measured<Disk, Network> = Pick<SampleFigures, "cpu" | "memory" | "load"> & {
  disks: readonly Disk[];
  network: readonly Network[];
};

/** The fullest disk and the busiest interface represent all of them. */
export const figuresOf = <Disk extends DiskUsage, Network extends NetworkRates>({
  cpu,
  memory,
  disks,
  network,
  load,
}: Measured<Disk, Network>): ListedFigures<Disk, Network> => ({
  cpu: cpu?.usage,
  memory: memory?.usage,
  disk: greatest(disks, ({ usage }) => usage),
  network: greatest(network, rateOf),
  load: load?.one,
});

/** Bytes a second in both directions; undefined where neither is known. */
export function rateOf({ receiveRate, sendRate }: NetworkRates): number | undefined {
  return receiveRate === undefined && sendRate === undefined ? undefined : (receiveRate ?? 0) + (sendRate ?? 0);
}

/** The first one with the greatest figure; those without a figure do not count. */
function greatest<Item>(items: readonly Item[], figureOf: (item: Item) => number | undefined): Item | undefined {
  let best: { item: Item; figure: number } | undefined;
  for (const item of items) {
    const figure = figureOf(item);
    if (figure !== undefined && (best === undefined || figure > best.figure)) best = { item, figure };
  }
  return best?.item;
}
