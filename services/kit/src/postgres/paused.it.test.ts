import { startPostgres } from "@sonde/embedded/postgres";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { silentLog } from "../service/log.ts";
import { databaseAlive, type Database, type Migrations, openDatabase, orUnavailable } from "./database.ts";

/** A separate server, because these tests suspend it. */
let server: Awaited<ReturnType<typeof startPostgres>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-paused-"));
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDir: folder, durable: false });
});
afterEach(() => resume());
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const pause = () => process.kill(server.pid, "SIGSTOP");
const resume = () => process.kill(server.pid, "SIGCONT");
const migrations: Migrations = { "001-things": { up: (trx) => trx.raw("create table things (id int)") } };
const open = (schema: string, log = silentLog): Promise<Database> =>
  openDatabase({ url: server.url, schema, migrations, log });

test("a suspended server is unavailable, not an internal error; it is used again when it resumes", async () => {
  const db = await open("paused");
  pause();
  await expect(orUnavailable(async () => db("things").select())).rejects.toMatchObject({ code: "unavailable" });
  expect(await databaseAlive(db)).toBe(false);
  resume();
  expect(await db("things").select()).toEqual([]);
  await db.destroy();
});

test("a start waits for a suspended server, and logs it", async () => {
  pause();
  const said = Promise.withResolvers<unknown>();
  const opening = open("waiting", Object.assign(Object.create(silentLog), { warn: said.resolve }));
  expect(await said.promise).toMatchObject({ reason: "timeout expired" });
  resume();
  const db = await opening;
  expect(await databaseAlive(db)).toBe(true);
  await db.destroy();
});
