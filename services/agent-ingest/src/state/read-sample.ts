import {
  CpuSchema,
  DiskSchema,
  LoadSchema,
  MemorySchema,
  NetworkInterfaceSchema,
  SampleSchema,
} from "@sonde/proto/gen/agents/v1/samples";
import { FieldReader, fixed64Tag, lengthTag } from "../protobuf/field-reader.ts";
import { readInstant } from "../protobuf/instant.ts";

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

const tags = {
  at: lengthTag(SampleSchema.field.at),
  cpu: lengthTag(SampleSchema.field.cpu),
  cpuUsage: fixed64Tag(CpuSchema.field.usage),
  memory: lengthTag(SampleSchema.field.memory),
  memoryUsage: fixed64Tag(MemorySchema.field.usage),
  disks: lengthTag(SampleSchema.field.disks),
  mountPoint: lengthTag(DiskSchema.field.mountPoint),
  diskUsage: fixed64Tag(DiskSchema.field.usage),
  network: lengthTag(SampleSchema.field.network),
  receiveRate: fixed64Tag(NetworkInterfaceSchema.field.receiveRate),
  sendRate: fixed64Tag(NetworkInterfaceSchema.field.sendRate),
  load: lengthTag(SampleSchema.field.load),
  one: fixed64Tag(LoadSchema.field.one),
  uptime: fixed64Tag(SampleSchema.field.uptime),
  bootId: lengthTag(SampleSchema.field.bootId),
  sequence: fixed64Tag(SampleSchema.field.sequence),
};

/** @param bytes a `Sample`, encoded @throws RangeError where they are none */
export function readSample(bytes: Uint8Array): SampleFigures {
  const reader = new FieldReader(bytes);
  const end = reader.end();
  const sample: SampleFigures = { disks: [], network: [] };
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === tags.at) sample.atMs = readInstant(reader, reader.message());
    else if (tag === tags.cpu) sample.cpu = { usage: readDouble(reader, tags.cpuUsage) };
    else if (tag === tags.memory) sample.memory = { usage: readDouble(reader, tags.memoryUsage) ?? 0 };
    else if (tag === tags.disks) sample.disks.push(readDisk(reader));
    else if (tag === tags.network) sample.network.push(readInterface(reader));
    else if (tag === tags.load) sample.load = { one: readDouble(reader, tags.one) ?? 0 };
    else if (tag === tags.uptime) sample.uptime = reader.double();
    else if (tag === tags.bootId) sample.bootId = reader.text();
    else if (tag === tags.sequence) sample.sequence = reader.double();
    else reader.skip(tag);
  }
  return sample;
}

/** One number of a message; undefined where it is not there. */
function readDouble(reader: FieldReader, wanted: number): number | undefined {
  let value: number | undefined;
  const end = reader.message();
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === wanted) value = reader.double();
    else reader.skip(tag);
  }
  return value;
}

function readDisk(reader: FieldReader): DiskUsage {
  const disk: DiskUsage = { mountPoint: "", usage: 0 };
  const end = reader.message();
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === tags.mountPoint) disk.mountPoint = reader.text();
    else if (tag === tags.diskUsage) disk.usage = reader.double();
    else reader.skip(tag);
  }
  return disk;
}

function readInterface(reader: FieldReader): NetworkRates {
  const rates: NetworkRates = {};
  const end = reader.message();
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === tags.receiveRate) rates.receiveRate = reader.double();
    else if (tag === tags.sendRate) rates.sendRate = reader.double();
    else reader.skip(tag);
  }
  return rates;
}
