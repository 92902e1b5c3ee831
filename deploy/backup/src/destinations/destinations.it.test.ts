import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { fetchArchive } from "./fetch.ts";
import { archiveName, type DestinationOptions, openDestination } from "./open.ts";
import { type S3Server, startS3 } from "./s3-server.testing.ts";

let folder: string;
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3("backups");
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-destinations-"));
  vi.stubEnv("AWS_ENDPOINT_URL", s3.endpoint);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => s3.stop());

async function write(to: string, bytes: Buffer, options?: DestinationOptions): Promise<string> {
  const destination = await openDestination(to, options);
  await pipeline(Readable.from([bytes]), destination.stream);
  await destination.finish();
  return destination.name;
}
const at = (day: number) => ({ now: new Date(Date.UTC(2026, 10, day)), keep: 2 });
const small = Buffer.from("an archive");

test("a file appears only when complete, is private to its owner, and replaces no other", async () => {
  const file = join(folder, "sonde.tar");
  const destination = await openDestination(file);
  await once(destination.stream, "open");
  destination.stream.write(randomBytes(2 ** 20)); // Still in progress at the abort.
  expect(await readdir(folder)).not.toContain("sonde.tar");
  await destination.abort();
  expect(await readdir(folder)).toEqual([]);

  await writeFile(join(folder, ".sonde.tar.partial"), "from a killed backup");
  await write(file, small);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["sonde.tar"]);
  await expect(openDestination(file)).rejects.toThrow(/already exists/);
});

test("archives in a folder are named by time, and only the newest are kept", async () => {
  const place = join(folder, "new/");
  for (const day of [3, 1, 2]) await write(place, small, at(day));
  await writeFile(join(place, "other.tar"), "not ours");
  await write(place, small, at(4));
  expect((await readdir(place)).toSorted()).toEqual(["other.tar", archiveName(at(3).now), archiveName(at(4).now)]);
  expect((await fetchArchive(place, join(folder, "fetched"))).file).toBe(join(place, archiveName(at(4).now)));
  await expect(fetchArchive(folder, join(folder, "fetched"))).rejects.toThrow(/There is no archive in/);
});

test("archives are uploaded to a bucket in parts and fetched again, and only the newest are kept", async () => {
  const large = randomBytes(40 * 2 ** 20);
  for (const day of [1, 2]) await write("s3://backups/sonde/", small, at(day));
  expect(await write("s3://backups/sonde/", large, at(3))).toBe(`s3://backups/sonde/${archiveName(at(3).now)}`);
  expect([...s3.objects.keys()].toSorted()).toEqual([2, 3].map((day) => `sonde/${archiveName(at(day).now)}`));
  const fetched = await fetchArchive("s3://backups/sonde/", join(folder, "fetched"));
  expect((await readFile(fetched.file)).equals(large)).toBe(true);
  await fetched.remove();
  await write("s3://backups/one.tar", small);
  expect(s3.objects.get("one.tar")).toEqual(small);
});

test("an aborted upload leaves nothing in the bucket", async () => {
  const before = [...s3.objects.keys()];
  const destination = await openDestination("s3://backups/given-up.tar");
  destination.stream.write(randomBytes(40 * 2 ** 20));
  await vi.waitFor(() => expect(s3.uploads.size).toBe(1), 30_000);
  await destination.abort();
  expect([...s3.objects.keys()]).toEqual(before);
  expect(s3.uploads.size).toBe(0);
});

test("the error of a bucket names it and omits the provider's message", async () => {
  await expect(fetchArchive("s3://backups/none.tar", join(folder, "fetched"))).rejects.toThrow(
    "The bucket backups cannot be reached or denies access (NoSuchKey).",
  );
  await expect(openDestination("s3://Not_A_Bucket/x")).rejects.toThrow(/is not a bucket address/);
  s3.refuse();
  await expect(write("s3://backups/refused.tar", small)).rejects.toThrow("denies access (AccessDenied).");
});
