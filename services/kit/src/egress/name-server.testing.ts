import { createSocket } from "node:dgram";

export interface TestZone {
  [name: string]: { a?: string[]; aaaa?: string[]; ttl?: number; code?: number; silent?: boolean };
}

const typeA = 1;
const typeAaaa = 28;

/** UDP on loopback (RFC 1035). Names outside the zone do not exist. `asked` records each query as `name type`. */
export async function startNameServer(zone: TestZone) {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    asked.push(`${name} ${type}`);
    const entry = name === "" ? (zone["."] ?? {}) : zone[name];
    if (entry?.silent) return;
    const question = query.subarray(12, end + 4);
    const records = (type === typeA ? entry?.a : type === typeAaaa ? entry?.aaaa : undefined) ?? [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (entry === undefined ? 3 : (entry.code ?? 0)), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const answers = records.map((address) => record(address, type, entry?.ttl ?? 60));
    socket.send(Buffer.concat([header, question, ...answers]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function readName(query: Buffer, start: number) {
  const labels: string[] = [];
  let at = start;
  while (query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function record(address: string, type: number, ttl: number): Buffer {
  const data = type === typeA ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // Pointer to the name in the question
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

// Only parses the full form with eight groups.
function ipv6Bytes(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  address.split(":").forEach((group, index) => bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2));
  return bytes;
}
