import { UnreadableFileError } from "./pages.ts";

export type Value = string | number | null;

/** Huge values lose precision. */
export function readVarint(view: DataView, at: number): { value: number; bytes: number } {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = view.getUint8(at + index);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, bytes: index + 1 };
  }
  return { value: value * 256 + view.getUint8(at + 8), bytes: 9 };
}

/** Blobs become `null`. @throws UnreadableFileError */
export function readRecord(bytes: Uint8Array, decoder: TextDecoder): Value[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const header = readVarint(view, 0);
    const values: Value[] = [];
    let at = header.bytes;
    let from = header.value;
    while (at < header.value) {
      const { value: type, bytes: taken } = readVarint(view, at);
      at += taken;
      const length = lengthOf(type);
      if (from + length > bytes.length) throw new UnreadableFileError("a value is cut off");
      values.push(readValue(view, type, from, decoder));
      from += length;
    }
    return values;
  } catch (error) {
    throw error instanceof RangeError ? new UnreadableFileError("a record is cut off") : error;
  }
}

const lengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  return type < 12 ? (lengths[type] ?? 0) : Math.floor((type - 12) / 2);
}

function readValue(view: DataView, type: number, at: number, decoder: TextDecoder): Value {
  switch (type) {
    case 1:
      return view.getInt8(at);
    case 2:
      return view.getInt16(at);
    case 3:
      return view.getInt8(at) * 65_536 + view.getUint16(at + 1);
    case 4:
      return view.getInt32(at);
    case 5:
      return view.getInt16(at) * 2 ** 32 + view.getUint32(at + 2);
    case 6:
      return Number(view.getBigInt64(at));
    case 7:
      return view.getFloat64(at);
    case 8:
      return 0;
    case 9:
      return 1;
    default: {
      const isText = type >= 13 && type % 2 === 1;
      return isText ? decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, lengthOf(type))) : null;
    }
  }
}
