import { crc32, deflateRawSync } from "node:zlib";

const version = 20;
/** 1 January 2020: the same bytes for the same content. */
const [dosTime, dosDate] = [0, ((2020 - 1980) << 9) | (1 << 5) | 1];

/** A zip archive of one file (PKWARE's APPNOTE.TXT 6.3), which Windows unpacks by itself. */
export function zipOf(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content, { level: 9 });
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(8, 4); // deflate
  fields.writeUInt16LE(dosTime, 6);
  fields.writeUInt16LE(dosDate, 8);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name)]);
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(version);
  // No comment, disk 0, no attributes, the local header at 0.
  const central = Buffer.concat([
    Buffer.from("PK\x01\x02", "latin1"),
    madeBy,
    fields,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + data.length, 16);
  return Buffer.concat([local, data, central, end]);
}
