import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { EncodedSampleBatchSchema, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";

/** `bytes` are stored unchanged, without encoding the sample again. */
export type ReceivedSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  intervalSeconds?: number;
  sample: SampleFigures;
  bytes: Uint8Array;
};

/** @throws if the message is invalid */
export function parseSamples(message: Uint8Array): ReceivedSample[] {
  return fromBinary(EncodedSampleBatchSchema, message).samples.map(
    ({ agentId, receivedAtMs, skewMs, intervalSeconds, sample }) => {
      // A copy, so that a stored sample does not retain the memory of the whole message.
      const bytes = new Uint8Array(sample);
      return { agentId, receivedAtMs, skewMs, intervalSeconds, sample: readSample(bytes), bytes };
    },
  );
}

/** Returns the reason for a dead letter, or `null`. */
export function deadLetterReason({ agentId, receivedAtMs, sample }: ReceivedSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "agent of another partition";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "invalid time";
  if (sample.atMs === undefined) return "missing time";
  return null;
}

/** Percent, bytes a second, seconds. */
export type SampleFigures = {
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

/** @param bytes an encoded `Sample` @throws if they are invalid */
export function readSample(bytes: Uint8Array): SampleFigures {
  const { at, ...figures } = fromBinary(SampleSchema, bytes, { readUnknownFields: false });
  return { ...figures, atMs: at && timestampMs(at) };
}

/** Figures that lists show and sort by. Percent, bytes a second; `undefined` if the sample has none. */
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

/** Bytes a second in both directions; `undefined` if neither is known. */
export function rateOf({ receiveRate, sendRate }: NetworkRates): number | undefined {
  return receiveRate === undefined && sendRate === undefined ? undefined : (receiveRate ?? 0) + (sendRate ?? 0);
}

/** Items without a figure do not count. */
function greatest<Item>(items: readonly Item[], figureOf: (item: Item) => number | undefined): Item | undefined {
  let best: { item: Item; figure: number } | undefined;
  for (const item of items) {
    const figure = figureOf(item);
    if (figure !== undefined && (best === undefined || figure > best.figure)) best = { item, figure };
  }
  return best?.item;
}
