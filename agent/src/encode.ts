import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Collected } from "./collectors/collector.ts";
import type { HostFacts } from "./host-changes.ts";

// Written by hand, field by field of proto/sonde/agents/v1/samples.proto: the generated code with its descriptors would
// cost the agent megabytes of memory. Its test reads all of it with the generated code.

function double(writer: BinaryWriter, field: number, value: number | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.Bit64).double(value);
}

function uint32(writer: BinaryWriter, field: number, value: number | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.Varint).uint32(value);
}

function text(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.LengthDelimited).string(value);
}

function nested(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

/** google.protobuf.Timestamp */
function timestamp(writer: BinaryWriter, field: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  nested(writer, field, () => {
    writer.tag(1, WireType.Varint).int64(seconds);
    writer.tag(2, WireType.Varint).int32(Math.round(ms - seconds * 1000) * 1_000_000);
  });
}

function doubles(writer: BinaryWriter, firstField: number, values: (number | undefined)[]): void {
  values.forEach((value, index) => double(writer, firstField + index, value));
}

/**
 * A Sample as it travels. The sequence is the monotonic clock in milliseconds: it rises through restarts of the agent
 * within one boot and needs no file.
 */
export function encodeSample(collected: Collected, footprint: { rss: number; queued: number }): Uint8Array {
  const { at, cpu, memory, load } = collected;
  const writer = new BinaryWriter();
  timestamp(writer, 1, at.wallMs);
  if (cpu) {
    nested(writer, 2, () => {
      double(writer, 1, cpu.usage);
      uint32(writer, 2, cpu.cores);
      text(writer, 3, cpu.model);
    });
  }
  if (memory) {
    const { total, used, free, usage, available, swapTotal, swapUsed } = memory;
    nested(writer, 3, () => doubles(writer, 1, [total, used, free, usage, available, swapTotal, swapUsed]));
  }
  for (const disk of collected.disks) {
    nested(writer, 4, () => {
      text(writer, 1, disk.device);
      text(writer, 2, disk.mountPoint);
      text(writer, 3, disk.fsType);
      doubles(writer, 4, [disk.total, disk.used, disk.free, disk.usage, disk.inodesTotal, disk.inodesUsed]);
    });
  }
  for (const entry of collected.network) {
    const { receiveRate, sendRate, received, sent, packetsReceived, packetsSent } = entry;
    nested(writer, 5, () => {
      text(writer, 1, entry.interface);
      doubles(writer, 2, [receiveRate, sendRate, received, sent, packetsReceived, packetsSent]);
    });
  }
  if (load) nested(writer, 6, () => doubles(writer, 1, [load.one, load.five, load.fifteen]));
  double(writer, 7, collected.uptime);
  text(writer, 8, at.bootId);
  double(writer, 9, Math.floor(at.monotonicMs));
  for (const { sensor, celsius } of collected.temperatures) {
    nested(writer, 10, () => {
      text(writer, 1, sensor);
      double(writer, 2, celsius);
    });
  }
  for (const { name, usage, memoryUsed, memoryTotal } of collected.gpus) {
    nested(writer, 11, () => {
      text(writer, 1, name);
      doubles(writer, 2, [usage, memoryUsed, memoryTotal]);
    });
  }
  uint32(writer, 12, collected.containers);
  text(writer, 13, collected.scope);
  nested(writer, 14, () => {
    double(writer, 1, footprint.rss);
    uint32(writer, 2, footprint.queued);
  });
  return writer.finish();
}

/** A Report of samples that were encoded before; `host` where it has something to tell of it. */
export function encodeReport(
  samples: Uint8Array[],
  sentAtMs: number,
  intervalSeconds: number,
  host?: HostFacts,
): Uint8Array {
  const writer = new BinaryWriter();
  for (const sample of samples) writer.tag(1, WireType.LengthDelimited).bytes(sample);
  timestamp(writer, 2, sentAtMs);
  double(writer, 3, intervalSeconds);
  if (host) {
    nested(writer, 4, () => {
      text(writer, 1, host.hostname);
      for (const address of host.ipAddresses) text(writer, 2, address);
      text(writer, 3, host.os);
      text(writer, 4, host.version);
    });
  }
  return writer.finish();
}
