import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { encodeSampleValues, writeInstant } from "@sonde/proto/samples/encode";
import type { Collected, Host } from "./collectors/collector.ts";

export type ReportedHost = Host & { version: string };

/**
 * Encodes a Sample. The sequence is the monotonic clock in milliseconds, which increases across restarts of the agent
 * within a boot without a file.
 */
export function encodeSample({ at, ...figures }: Collected, footprint: { rss: number; queued: number }): Uint8Array {
  const sequence = Math.floor(at.monotonicMs);
  return encodeSampleValues({ ...figures, at: at.wallMs, bootId: at.bootId, sequence, footprint });
}

export function encodeReport(
  samples: Uint8Array[],
  sentAtMs: number,
  intervalSeconds: number,
  host?: ReportedHost,
): Uint8Array {
  const writer = new BinaryWriter();
  for (const sample of samples) writer.tag(1, WireType.LengthDelimited).bytes(sample);
  writeInstant(writer, 2, sentAtMs);
  writer.tag(3, WireType.Bit64).double(intervalSeconds);
  if (host) {
    const text = (field: number, value: string) => writer.tag(field, WireType.LengthDelimited).string(value);
    writer.tag(4, WireType.LengthDelimited).fork();
    text(1, host.hostname);
    for (const address of host.ipAddresses) text(2, address);
    text(3, host.os);
    text(4, host.version);
    writer.join();
  }
  return writer.finish();
}
