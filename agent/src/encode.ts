import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { encodeSampleValues, writeInstant } from "@sonde/proto/samples/encode";
import type { Collected, Host } from "./collectors/collector.ts";

/** The facts about the host in a report, beside its samples. */
export type ReportedHost = Host & { version: string };

/**
 * A Sample as it travels. The sequence is the monotonic clock in milliseconds: it rises through restarts of the agent
 * within one boot and needs no file.
 */
export function encodeSample({ at, ...figures }: Collected, footprint: { rss: number; queued: number }): Uint8Array {
  const sequence = Math.floor(at.monotonicMs);
  return encodeSampleValues({ ...figures, at: at.wallMs, bootId: at.bootId, sequence, footprint });
}

/** A Report of samples that were encoded before; `host` if its facts are to be sent. */
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
