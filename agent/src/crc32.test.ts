import { crc32 as zlibCrc32 } from "node:zlib";
import { expect, test } from "vitest";
import { crc32 } from "./crc32.ts";

test("is zlib's, so that a spool of an earlier agent is read", () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const bytes of [new Uint8Array(), Buffer.from("123456789"), everyByte]) {
    expect(crc32(bytes)).toBe(zlibCrc32(bytes));
  }
});
