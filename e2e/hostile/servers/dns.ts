import type { Random } from "../random.ts";
import type { Answer } from "../server.ts";

const types: Record<string, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  CAA: 257,
};
export const recordTypes = Object.keys(types);

/** A response to the received question (RFC 1035 §4.1), with records that may have another type. */
export const dnsAnswers = (random: Random): Answer[] => [
  (received) => {
    const count = random.pick([0, 1, 1, 3, 200]);
    const records = Array.from({ length: count }, () => {
      const data = random.pick([
        random.bytes(4),
        random.bytes(16),
        Buffer.from([3, 97, 98, 99, 0xc0, 12]),
        Buffer.from([0xc0, 0xc]),
        Buffer.from([0xff, ...random.bytes(255)]),
        random.bytes(random.below(60)),
      ]);
      const head = Buffer.from([0xc0, 12, 0, 0, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]);
      head.writeUInt16BE(types[random.pick(recordTypes)]!, 2);
      return Buffer.concat([head, data]);
    });
    const isReferral = random.chance(0.2);
    const flags = random.pick([0x8180, 0x8500, 0x8183, 0x8182, 0x8185, 0x8380]);
    const head = Buffer.alloc(12);
    received.copy(head, 0, 0, 2);
    head.writeUInt16BE(flags, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(count, isReferral ? 8 : 6);
    return Buffer.concat([head, received.subarray(12), ...records]);
  },
];
