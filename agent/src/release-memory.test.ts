import { expect, test } from "vitest";
import { unwrittenMappings } from "./release-memory.ts";

const mapping = (line: string, anonymousKb: number) =>
  `${line}\nSize:   4 kB\nRss:    4 kB\nAnonymous:     ${anonymousKb} kB\nVmFlags: rd mr mw me\n`;

test("finds the code and constants of files, and nothing that was written to or could be", () => {
  const smaps = [
    mapping("7f0000000000-7f0000001000 r--p 00000000 fe:00 12 /opt/lib/libchdb.so", 0),
    mapping("7f0000001000-7f0000004000 r-xp 00001000 fe:00 12 /opt/lib/libchdb.so", 0),
    mapping("7f0000004000-7f0000005000 r--p 00004000 fe:00 12 /opt/lib/libchdb.so", 4), // The loader's addresses.
    mapping("7f0000005000-7f0000006000 rw-p 00005000 fe:00 12 /opt/lib/libchdb.so", 0),
    mapping("7f0000007000-7f0000008000 r--p 00000000 00:00 0", 0),
    mapping("7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]", 0),
  ].join("");

  expect(unwrittenMappings(smaps)).toEqual([
    { start: 0x7f0000000000n, bytes: 0x1000n },
    { start: 0x7f0000001000n, bytes: 0x3000n },
  ]);
});
