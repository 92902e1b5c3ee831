import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { extract, pack } from "tar-stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { checkKey, fingerprintsOfMaster } from "../key.ts";
import { formatVersion, type Manifest, manifestName, sliceBytes } from "./manifest.ts";
import { readParts, verifyArchive } from "./read.ts";
import { writeArchive } from "./write.ts";

const master = randomBytes(32).toString("base64");
const manifest: Omit<Manifest, "parts"> = {
  format: formatVersion,
  version: "0.1.0",
  startedAt: "2026-11-01T00:00:00.000Z",
  finishedAt: "2026-11-01T00:00:01.000Z",
  shape: "all-in-one",
  keyFingerprints: fingerprintsOfMaster(master),
  schemas: [],
  history: { migrations: [] },
};
const users = Buffer.from("1\tada\n2\tben\n");
const checks = randomBytes(sliceBytes + 1_000);

let folder: string;
let file: string;
let whole: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-archive-"));
  file = join(folder, "sonde.tar");
  const archive = writeArchive(createWriteStream(file));
  const keySha256 = await archive.addKey(master);
  await archive.add("postgres/auth/users.copy.zst", Readable.from([users]), () => ({ atLeast: 2, atMost: 2 }));
  await archive.add("clickhouse/checks/20261101.native.zst", Readable.from([checks]), () => ({
    atLeast: 5,
    atMost: 7,
  }));
  await archive.finish({ ...manifest, keySha256 });
  whole = await readFile(file);
});
beforeEach(() => writeFile(file, whole));
afterAll(() => rm(folder, { recursive: true, force: true }));

const refusal = () =>
  verifyArchive(file).then(
    () => "taken",
    (fault: Error) => `${fault.name}: ${fault.message}`,
  );

test("an archive is read back in write order, with its key, in slices of bounded size", async () => {
  const read = await verifyArchive(file);
  expect(read.key).toBe(master);
  const parts = [];
  for await (const part of readParts(file, read.manifest)) {
    parts.push({
      name: part.name,
      rows: part.rows,
      slices: part.slices.length,
      bytes: Buffer.concat(await Array.fromAsync(part.body)),
    });
  }
  expect(parts).toEqual([
    { name: "postgres/auth/users.copy.zst", rows: { atLeast: 2, atMost: 2 }, slices: 1, bytes: users },
    { name: "clickhouse/checks/20261101.native.zst", rows: { atLeast: 5, atMost: 7 }, slices: 2, bytes: checks },
  ]);
});

test("a truncated archive is rejected", async () => {
  const manifestAt = whole.indexOf(manifestName);
  for (const length of [0, 100, 512, 2_000, sliceBytes / 2, manifestAt, manifestAt + 600]) {
    await writeFile(file, whole.subarray(0, length));
    expect(await refusal(), `of ${length} bytes`).toMatch(/^StartupError: .* (?:is truncated|is damaged)/);
  }
});

test("an archive with one changed byte is rejected", async () => {
  for (const at of [
    whole.indexOf(users),
    whole.indexOf(checks.subarray(0, 64)) + sliceBytes + 1_000,
    whole.indexOf(master),
  ]) {
    const changed = Buffer.from(whole);
    changed[at] = changed[at]! ^ 1;
    await writeFile(file, changed);
    expect(await refusal(), `at ${at}`).toMatch(/^StartupError: .* is damaged/);
  }
});

test("a missing file or one of another type is rejected", async () => {
  await writeFile(file, "-- PostgreSQL database dump\n".repeat(1_000));
  expect(await refusal()).toMatch(/^StartupError: .* another kind of file/);
  await rm(file);
  expect(await refusal()).toMatch(/^StartupError: The archive .* does not exist/);
});

async function rewrite(change: (name: string, bytes: Buffer) => { name: string; bytes: Buffer; type?: "symlink" }) {
  const [from, to] = [extract(), pack()];
  Readable.from([whole]).pipe(from);
  for await (const entry of from) {
    const { type, ...made } = change(
      entry.header.name,
      Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)),
    );
    if (type === undefined) to.entry({ name: made.name }, made.bytes);
    else to.entry({ name: made.name, type, linkname: "/etc/passwd" });
  }
  to.finalize();
  await writeFile(file, Buffer.concat(await Array.fromAsync(to as AsyncIterable<Buffer>)));
}

test("unexpected members are rejected, including absolute and parent paths", async () => {
  for (const name of ["../../etc/passwd", "/etc/passwd", "postgres/auth/users.copy.zst.00001"]) {
    await rewrite((own, bytes) => ({ name: own.startsWith("postgres") ? name : own, bytes }));
    expect(await refusal(), name).toMatch(/^StartupError: .* is damaged/);
  }
  await rewrite((name, bytes) => ({
    name,
    bytes,
    ...(name.startsWith("postgres") ? { type: "symlink" as const } : {}),
  }));
  expect(await refusal()).toMatch(/^StartupError: .* is damaged/);
});

test("the error for an archive in a newer format names the version that wrote it", async () => {
  await rewrite((name, bytes) => {
    if (name !== manifestName) return { name, bytes };
    const newer = {
      ...(JSON.parse(bytes.toString()) as Manifest),
      format: formatVersion + 1,
      version: "9.0.0",
      parts: "other",
    };
    return { name, bytes: Buffer.from(JSON.stringify(newer)) };
  });
  expect(await refusal()).toMatch(/was written by Sonde 9\.0\.0, which is newer/);
});

test.each([{ format: 0 }, { format: 0.5 }, { format: "1" }, { version: "a version" }, { version: "1.0" }])(
  "an archive with %o in its manifest is rejected",
  async (wrong) => {
    await rewrite((name, bytes) =>
      name === manifestName
        ? { name, bytes: Buffer.from(JSON.stringify({ ...(JSON.parse(bytes.toString()) as Manifest), ...wrong })) }
        : { name, bytes },
    );
    expect(await refusal()).toMatch(/^StartupError: .* is damaged/);
  },
);

test("the backup fails with the destination's error", async () => {
  const full = createWriteStream("/dev/full");
  const archive = writeArchive(full);
  const written = archive.add("a", Readable.from([randomBytes(sliceBytes * 2)]), () => ({ atLeast: 0, atMost: 0 }));
  await expect(written.then(() => archive.finish(manifest))).rejects.toMatchObject({ code: "ENOSPC" });
});

test("a missing or different sealing key is rejected", async () => {
  const { manifest: own } = await verifyArchive(file);
  const check = (keys: Parameters<typeof checkKey>[1], inArchive?: string) => () => checkKey(own, keys, inArchive);
  const other = randomBytes(32).toString("base64");
  expect(check({})).toThrow(/key is missing/);
  expect(check({ master: other })).toThrow(/does not match this archive/);
  expect(check({ backup: deriveKeys(other).SONDE_KEY_BACKUP })).toThrow(/does not match this archive/);
  expect(check({ master: other }, master)).toThrow(/does not match this archive/);
  for (const fits of [
    check({ master }),
    check({ master: `${other},${master}` }),
    check({}, master),
    check({ backup: deriveKeys(master).SONDE_KEY_BACKUP }),
  ]) {
    expect(fits).not.toThrow();
  }
});
