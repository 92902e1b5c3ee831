import type { Random } from "./random.ts";

const edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
const floods = [
  "\n",
  "\r\n",
  "\0",
  "a",
  "[",
  '{"a":',
  "250-a\r\n",
  "* a\r\n",
  "\xff\xff\xff\xff",
  "HTTP/1.1 100 \r\n\r\n",
];
/** More than any check reads of a response. */
const floodBytes = 70_000;

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const mutations: readonly Mutation[] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    for (let n = random.below(8); n >= 0 && changed.length > 0; n--)
      changed[random.below(changed.length)] = random.below(256);
    return changed;
  },
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const size = random.pick([1, 2, 4]);
    if (changed.length < size) return changed;
    const at = random.below(changed.length - size + 1);
    const value = (random.pick(edges) & (2 ** (size * 8) - 1)) >>> 0;
    if (random.chance(0.5)) changed.writeUIntBE(size === 4 ? value : value % 2 ** (size * 8), at, size);
    else changed.writeUIntLE(size === 4 ? value : value % 2 ** (size * 8), at, size);
    return changed;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => Buffer.concat([bytes, random.bytes(random.below(300))]),
  (bytes, random) => splice(bytes, random, random.bytes(random.below(40))),
  (bytes, random) => splice(bytes, random, flood(random)),
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    const slice = bytes.subarray(from, from + random.below(bytes.length - from + 1));
    if (slice.length === 0) return bytes;
    const times = 1 + random.below(Math.min(20_000, Math.floor(floodBytes / slice.length)));
    return splice(bytes, random, Buffer.concat(Array<Buffer>(times).fill(slice)));
  },
  (bytes) => Buffer.from(bytes.filter((byte) => byte !== 0)),
  (bytes) => Buffer.from(bytes.filter((byte) => byte !== 10)),
  (_bytes, random) => random.bytes(random.below(4000)),
];

export function flood(random: Random): Buffer {
  const unit = Buffer.from(random.pick(floods), "latin1");
  return Buffer.concat(Array<Buffer>(1 + random.below(Math.floor(floodBytes / unit.length))).fill(unit));
}

function splice(bytes: Buffer, random: Random, inserted: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
}

/** Mutates a response in up to three places. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let n = random.below(3); n >= 0; n--) changed = random.pick(mutations)(changed, random);
  return changed;
}

/** Mutates a part of a response occasionally, so most of the response stays valid. */
export const mutateSome = (bytes: Buffer, random: Random): Buffer =>
  random.chance(0.06) ? mutate(bytes, random) : bytes;
