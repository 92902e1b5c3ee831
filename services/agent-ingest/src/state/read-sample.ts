import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";

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
