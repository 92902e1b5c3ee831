import { createPublicKey, verify } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureSigningKey, writeSums } from "./sums.ts";

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "sonde-sums-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

test("the checksums of all archives are signed for OpenSSL and .NET, next to the public key", async () => {
  await writeFile(join(folder, "sonde-agent-linux-x64.tar.xz"), "one");
  await writeFile(join(folder, "sonde-agent-win-x64.zip"), "two");
  await writeFile(join(folder, "notes.txt"), "none");
  await writeSums(folder, await ensureSigningKey(join(folder, "keys/signing-key.pem")));
  const read = (name: string) => readFile(join(folder, name));
  const sums = await read("SHA256SUMS");
  expect(
    sums
      .toString()
      .split("\n")
      .map((line) => line.split("  ")[1]),
  ).toEqual(["sonde-agent-linux-x64.tar.xz", "sonde-agent-win-x64.zip", undefined]);
  const key = createPublicKey(await read("signing-key.pub"));
  expect(verify("sha256", sums, key, await read("SHA256SUMS.sig"))).toBe(true);
  const net = { key, dsaEncoding: "ieee-p1363" } as const;
  expect(verify("sha256", sums, net, await read("SHA256SUMS.p1363"))).toBe(true);
  expect(verify("sha256", Buffer.concat([sums, Buffer.from(" ")]), key, await read("SHA256SUMS.sig"))).toBe(false);
});

test("the key is created once, even by concurrent builds", async () => {
  const file = join(folder, "signing-key.pem");
  const keys = await Promise.all([ensureSigningKey(file), ensureSigningKey(file)]);
  const again = await ensureSigningKey(file);
  for (const key of keys) expect(key.equals(again)).toBe(true);
});
