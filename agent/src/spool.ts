import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { makePrivateFolder, syncFolder } from "./files.ts";

/** The oldest samples. `done` removes them, even if the spool has changed since. */
interface Batch {
  samples: Uint8Array[];
  done: () => void;
}

export interface Spool {
  append: (sample: Uint8Array) => void;
  /** Returns the oldest samples, at least one; `undefined` if the spool is empty. */
  peek: (max: { samples: number; bytes: number }) => Batch | undefined;
  waiting: () => number;
  /** Samples lost since start: displaced by newer ones, or unreadable. */
  lost: () => number;
  close: () => void;
}

interface Segment {
  id: number;
  size: number;
  count: number;
  /** Everything before this offset was sent. */
  offset: number;
}

const headBytes = 8;
const maxRecordBytes = 1024 * 1024;
const memoryRecords = 60;

/** Each record: length and CRC-32, 32 bits little-endian each, then the sample. */
function* records(data: Buffer, offset: number): Generator<Uint8Array, void> {
  let at = offset;
  while (at + headBytes <= data.length) {
    const length = data.readUInt32LE(at);
    const end = at + headBytes + length;
    if (length === 0 || length > maxRecordBytes || end > data.length) return;
    const sample = data.subarray(at + headBytes, end);
    if (crc32(sample) !== data.readUInt32LE(at + 4)) return;
    yield sample;
    at = end;
  }
}

/**
 * A queue of samples on disk. Beyond `maxBytes` the oldest segment is dropped. Every sample is written before it is
 * sent, so `kill -9` loses none. While samples are waiting, each is also synced, so a power failure during an outage
 * loses none. After a crash the newest segment is cut at its first incomplete record, and samples of the oldest may
 * be sent twice, which the server detects by boot id and sequence.
 */
export function openSpool(directory: string, options: { maxBytes: number; segmentBytes?: number }): Spool {
  const segmentBytes = options.segmentBytes ?? Math.min(256 * 1024, Math.floor(options.maxBytes / 4));
  makePrivateFolder(directory);
  const pathOf = (id: number) => join(directory, `${String(id).padStart(12, "0")}.spool`);
  const segments: Segment[] = [];
  /** The newest samples if the disk is full. */
  const memory: Uint8Array[] = [];
  let lost = 0;
  let file: number | undefined;

  for (const name of readdirSync(directory).toSorted()) {
    const id = /^(\d{12})\.spool$/.exec(name)?.[1];
    if (id !== undefined) recover(Number(id));
  }

  function recover(id: number): void {
    const data = readFileSync(pathOf(id));
    let [size, count] = [0, 0];
    for (const sample of records(data, 0)) {
      size += headBytes + sample.length;
      count += 1;
    }
    if (size < data.length) lost += 1;
    if (count === 0) unlinkSync(pathOf(id));
    else segments.push({ id, size, count, offset: 0 });
  }

  /** The segment being written. After a start it is a new one; those from before are only read. */
  function active(): { segment: Segment; file: number } {
    const last = segments.at(-1);
    if (file !== undefined && last !== undefined && last.size < segmentBytes) return { segment: last, file };
    if (file !== undefined) closeSync(file);
    file = undefined;
    const segment = { id: (last?.id ?? 0) + 1, size: 0, count: 0, offset: 0 };
    file = openSync(pathOf(segment.id), "w+", 0o600);
    syncFolder(directory);
    segments.push(segment);
    return { segment, file };
  }

  function remove(segment: Segment): void {
    segments.splice(segments.indexOf(segment), 1);
    if (segments.length === 0 && file !== undefined) {
      closeSync(file);
      file = undefined;
    }
    unlinkSync(pathOf(segment.id));
  }

  const onDisk = () => segments.reduce((sum, segment) => sum + segment.count, 0);

  function write(sample: Uint8Array): void {
    const backlog = onDisk() > 0;
    const { segment, file: target } = active();
    const record = Buffer.allocUnsafe(headBytes + sample.length);
    record.writeUInt32LE(sample.length, 0);
    record.writeUInt32LE(crc32(sample), 4);
    record.set(sample, headBytes);
    try {
      const written = writeSync(target, record, 0, record.length, segment.size);
      if (written < record.length) throw new Error("the disk is full");
      if (backlog) fsyncSync(target);
    } catch (error) {
      ftruncateSync(target, segment.size);
      throw error;
    }
    segment.size += record.length;
    segment.count += 1;
    while (segments.reduce((sum, { size }) => sum + size, 0) > options.maxBytes && segments[0] !== segment) {
      lost += segments[0]!.count;
      remove(segments[0]!);
    }
  }

  function read(segment: Segment, bytes: number): Buffer {
    const whole = segment.size - segment.offset;
    const data = Buffer.allocUnsafe(Math.min(whole, Math.max(bytes, 2 * headBytes)));
    const from = openSync(pathOf(segment.id), "r");
    try {
      const got = readSync(from, data, 0, data.length, segment.offset);
      return data.subarray(0, got);
    } finally {
      closeSync(from);
    }
  }

  function takeFrom(segment: Segment, max: { samples: number; bytes: number }): Batch {
    const samples: Uint8Array[] = [];
    // A first record that exceeds the limit is still returned.
    for (const bytes of [max.bytes, segment.size]) {
      for (const sample of records(read(segment, bytes), 0)) if (samples.push(sample) >= max.samples) break;
      if (samples.length > 0) break;
    }
    const taken = samples.reduce((sum, sample) => sum + headBytes + sample.length, 0);
    const { offset } = segment;
    const done = () => {
      // The segment may have been dropped in the meantime.
      if (!segments.includes(segment) || segment.offset !== offset) return;
      if (samples.length === 0) lost += segment.count;
      segment.offset += taken;
      segment.count -= samples.length;
      if (samples.length > 0 && segment.offset < segment.size) return;
      const isActive = file !== undefined && segment === segments.at(-1);
      if (!isActive) return remove(segment);
      // Reusing the file is cheaper than creating one per sample.
      ftruncateSync(file!, 0);
      Object.assign(segment, { size: 0, count: 0, offset: 0 });
    };
    return { samples, done };
  }

  return {
    append(sample) {
      try {
        write(sample);
      } catch {
        memory.push(sample);
        if (memory.length > memoryRecords) lost += memory.splice(0, memory.length - memoryRecords).length;
      }
    },
    peek(max) {
      const segment = segments.find(({ count }) => count > 0);
      if (segment !== undefined) {
        const batch = takeFrom(segment, max);
        if (batch.samples.length > 0) return batch;
        batch.done(); // Unreadable, although it was written correctly.
        return this.peek(max);
      }
      if (memory.length === 0) return undefined;
      const samples = memory.slice(0, max.samples);
      return { samples, done: () => void memory.splice(0, memory.indexOf(samples.at(-1)!) + 1) };
    },
    waiting: () => onDisk() + memory.length,
    lost: () => lost,
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
