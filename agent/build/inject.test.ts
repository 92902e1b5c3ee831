import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inject } from "./inject.ts";

const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const blob = Buffer.from("the agent's script");

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "sonde-inject-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function injected(system: string, base: Buffer): Promise<Buffer> {
  const output = join(folder, "output");
  await writeFile(join(folder, "base"), base);
  await inject({ base: join(folder, "base"), blob, output, system });
  return readFile(output);
}

/** Little-endian fields by offset: numbers of 4 bytes, bigints of 8, and texts. */
function fields(bytes: number, values: Record<number, number | bigint | string>): Buffer {
  const made = Buffer.alloc(bytes);
  for (const [key, value] of Object.entries(values)) {
    const at = Number(key);
    if (typeof value === "string") made.write(value, at, "latin1");
    else if (typeof value === "bigint") made.writeBigUInt64LE(value, at);
    else made.writeUInt32LE(value, at);
  }
  return made;
}
const at64 = (from: Buffer, at: number) => Number(from.readBigUInt64LE(at));

describe("Linux", () => {
  const loadedBytes = 0x400;
  const base = (text = `${fuse}:0`) =>
    Buffer.concat([
      fields(64, { 0: "\x7fELF", 32: 64n, 40: 0x500n, 56: 2, 60: 3 }),
      fields(56, { 0: 6, 8: 64n, 16: 0x400040n, 32: 112n, 40: 112n }),
      fields(56, { 0: 1, 4: 4, 16: 0x400000n, 32: BigInt(loadedBytes), 40: 0x2400n, 48: 0x1000n }),
      fields(loadedBytes - 64 - 112, { 16: text }),
      Buffer.from("symbols for debuggers"),
    ]);

  test("a note in a separate segment contains the blob, at an address consistent with the others", async () => {
    const file = await injected("linux", base());
    const table = at64(file, 32);
    const segments = Array.from({ length: file.readUInt16LE(56) }, (_, index) =>
      file.subarray(table + index * 56, table + index * 56 + 56),
    );
    expect(segments.map((one) => one.readUInt32LE())).toEqual([6, 1, 1, 4]);
    const [self, , load, note] = segments as [Buffer, Buffer, Buffer, Buffer];
    expect([at64(self, 8), at64(self, 32)]).toEqual([table, 4 * 56]);
    expect(at64(load, 16)).toBeGreaterThanOrEqual(0x400000 + 0x2400);
    for (const one of [self, load, note]) expect(at64(one, 16) - at64(one, 8)).toBe(0x400000);
    expect(at64(load, 8) % 0x1000).toBe(0);
    expect(at64(load, 8) + at64(load, 32)).toBe(file.length);

    const content = file.subarray(at64(note, 8));
    expect([content.readUInt32LE(0), content.readUInt32LE(4)]).toEqual(["NODE_SEA_BLOB\0".length, blob.length]);
    expect(content.subarray(12, 26).toString()).toBe("NODE_SEA_BLOB\0");
    expect(content.subarray(28, 28 + blob.length)).toEqual(blob);
  });

  test("the fuse is set, and data that is not loaded is dropped", async () => {
    const file = await injected("linux", base());
    expect(file.includes(`${fuse}:1`)).toBe(true);
    expect(file.includes("symbols")).toBe(false);
    expect([at64(file, 40), file.readUInt16LE(60)]).toEqual([0, 0]);
  });

  test("a Node without a fuse, or with two, is rejected", async () => {
    await expect(injected("linux", base("no fuse"))).rejects.toThrow("The base has 0 fuses");
    await expect(injected("linux", base(`${fuse}:0 ${fuse}:0`))).rejects.toThrow("The base has 2 fuses");
  });
});

describe("macOS", () => {
  const segment = (name: string, values: Record<number, number | bigint>, sections: Buffer[] = []) =>
    Buffer.concat([
      fields(72, { 0: 0x19, 4: 72 + sections.length * 80, 8: name, 64: sections.length, ...values }),
      ...sections,
    ]);
  const base = (extra = fields(24, { 0: 0x1b, 4: 24 })) => {
    const commands = [
      segment("__TEXT", { 32: 0x4000n, 48: 0x4000n }, [fields(80, { 0: "__cstring", 48: 0x800 })]),
      segment("__LINKEDIT", { 24: 0x4000n, 32: 0x4000n, 40: 0x4000n, 48: 0x60n, 56: 1, 60: 1 }),
      fields(24, { 0: 0x2, 4: 24, 8: 0x4000, 12: 1, 16: 0x4010, 20: 0x2d }),
      extra,
      fields(16, { 0: 0x1d, 4: 16, 8: 0x4040, 12: 0x20 }),
    ];
    const text = Buffer.concat(commands);
    const header = fields(32, { 0: 0xfeedfacf, 16: commands.length, 20: text.length });
    const front = Buffer.concat([header, text], 0x800);
    return Buffer.concat([
      front,
      fields(0x4000 - 0x800, { 0: `${fuse}:0` }),
      fields(0x60, { 0: "symbols", 0x40: "signed" }),
    ]);
  };
  const commandsOf = (file: Buffer) => {
    const commands: Buffer[] = [];
    for (let at = 32; commands.length < file.readUInt32LE(16); at += file.readUInt32LE(at + 4))
      commands.push(file.subarray(at, at + file.readUInt32LE(at + 4)));
    return commands;
  };

  test("a segment before __LINKEDIT contains the blob, and offsets into __LINKEDIT are moved", async () => {
    const file = await injected("darwin", base());
    const commands = commandsOf(file);
    const [, sea, link, symbols] = commands as [Buffer, Buffer, Buffer, Buffer];
    expect(sea.toString("latin1", 8, 16)).toBe("NODE_SEA");
    expect(sea.toString("latin1", 72, 88)).toBe("__NODE_SEA_BLOB\0");
    expect([24, 32, 40, 48].map((at) => at64(sea, at))).toEqual([0x4000, 0x4000, 0x4000, 0x4000]);
    expect(file.subarray(sea.readUInt32LE(120), sea.readUInt32LE(120) + at64(sea, 112))).toEqual(blob);
    expect([24, 32, 40, 48].map((at) => at64(link, at))).toEqual([0x8000, 0x4000, 0x8000, 0x3d]);
    expect([symbols.readUInt32LE(8), symbols.readUInt32LE(16)]).toEqual([0x8000, 0x8010]);
    expect(file.toString("latin1", 0x8000, 0x8007)).toBe("symbols");
    expect(file.includes(`${fuse}:1`)).toBe(true);
  });

  test("the outdated signature is dropped", async () => {
    const file = await injected("darwin", base());
    expect(commandsOf(file).map((one) => one.readUInt32LE())).toEqual([0x19, 0x19, 0x19, 0x2, 0x1b]);
    expect(file.length).toBe(0x803d); // The strings, without the alignment of the signature.
  });

  test("an unknown load command, which may contain offsets, is rejected", async () => {
    await expect(injected("darwin", base(fields(24, { 0: 0x36, 4: 24 })))).rejects.toThrow("load command 0x36");
  });
});

describe("Windows", () => {
  const [optionalAt, resourcesAt, home] = [0x80 + 24, 0x80 + 24 + 112 + 16, 0x2000];
  const table = (ids: number, rest: Record<number, number>) => fields(16 + ids * 8, { 12: ids << 16, ...rest });
  const resources = Buffer.concat([
    table(2, { 16: 3, 20: 0x80000020, 24: 16, 28: 0x80000050 }),
    table(1, { 16: 1, 20: 0x80000038 }),
    table(1, { 16: 1033, 20: 0x80 }),
    table(1, { 16: 1, 20: 0x80000068 }),
    table(1, { 16: 1033, 20: 0x90 }),
    fields(16, { 0: home + 0xa0, 4: 4 }),
    fields(16, { 0: home + 0xa4, 4: 4 }),
    Buffer.from("iconvers"),
  ]);
  const section = (name: string, at: number, values: Record<number, number>) =>
    Object.fromEntries([
      [at, name],
      ...Object.entries(values).map(([key, value]) => [at + Number(key), value]),
    ]) as Record<number, number | string>;
  const base = Buffer.concat([
    fields(0x400, {
      0x3c: 0x80,
      [0x80]: "PE",
      [0x84]: 0x00028664,
      [0x80 + 20]: 240,
      [optionalAt + 32]: 0x1000,
      [optionalAt + 36]: 0x200,
      [optionalAt + 56]: 0x3000,
      [optionalAt + 60]: 0x400,
      [resourcesAt]: home,
      [resourcesAt + 4]: resources.length,
      [resourcesAt + 16]: 0x800,
      [resourcesAt + 20]: 9,
      ...section(".rdata", optionalAt + 240, { 8: 0x200, 12: 0x1000, 16: 0x200, 20: 0x400 }),
      ...section(".rsrc", optionalAt + 280, { 8: resources.length, 12: home, 16: 0x200, 20: 0x600 }),
    }),
    fields(0x200, { 0: `${fuse}:0` }),
    Buffer.concat([resources], 0x200),
    Buffer.from("signature"),
  ]);

  function resourcesIn(file: Buffer): Record<string, string> {
    const count = file.readUInt16LE(0x86);
    const sections = Array.from({ length: count }, (_, index) => optionalAt + 240 + index * 40);
    const rawOf = (address: number) => {
      const one = sections.find((at) => {
        const start = file.readUInt32LE(at + 12);
        return start <= address && address < start + file.readUInt32LE(at + 8);
      })!;
      return address - file.readUInt32LE(one + 12) + file.readUInt32LE(one + 20);
    };
    const root = rawOf(file.readUInt32LE(resourcesAt));
    const named = (name: number) => {
      const at = root + name - 0x80000000;
      return file.toString("utf16le", at + 2, at + 2 + file.readUInt16LE(at) * 2);
    };
    const below = (at: number, path: string): [string, string][] =>
      Array.from({ length: file.readUInt16LE(at + 12) + file.readUInt16LE(at + 14) }, (_, index) => {
        const [name, to] = [file.readUInt32LE(at + 16 + index * 8), file.readUInt32LE(at + 20 + index * 8)];
        const here = `${path}/${name >= 0x80000000 ? named(name) : name}`;
        if (to >= 0x80000000) return below(root + to - 0x80000000, here);
        const raw = rawOf(file.readUInt32LE(root + to));
        return [[here, file.toString("latin1", raw, raw + file.readUInt32LE(root + to + 4))]] as [string, string][];
      }).flat();
    return Object.fromEntries(below(root, ""));
  }

  test("the blob is added to the existing resources", async () => {
    expect(resourcesIn(base)).toEqual({ "/3/1/1033": "icon", "/16/1/1033": "vers" });
    const file = await injected("win", base);
    expect(Object.entries(resourcesIn(file))).toEqual([
      ["/3/1/1033", "icon"],
      ["/10/NODE_SEA_BLOB/0", blob.toString()],
      ["/16/1/1033", "vers"],
    ]);
    expect(file.includes(`${fuse}:1`)).toBe(true);
  });

  test("its section is within the image, and the signature is dropped", async () => {
    const file = await injected("win", base);
    const at = optionalAt + 320;
    const [size, address, rawBytes, raw] = [8, 12, 16, 20].map((field) => file.readUInt32LE(at + field));
    expect([address, raw]).toEqual([0x3000, 0x800]);
    expect(file.readUInt32LE(optionalAt + 56)).toBe(0x4000);
    expect(rawBytes).toBeGreaterThanOrEqual(size!);
    expect(file.length).toBe(raw! + rawBytes!);
    expect([file.readUInt32LE(resourcesAt + 16), file.readUInt32LE(resourcesAt + 20)]).toEqual([0, 0]);
  });
});
