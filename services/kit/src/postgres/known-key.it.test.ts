import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { deriveKeys } from "../secret-keys.ts";
import { encrypt, secretBox, secretContexts } from "../secrets.ts";
import { createLog, silentLog } from "../service/log.ts";
import { type Database, openDatabase } from "./database.ts";
import { refuseUnknownKey, sealedWithin } from "./known-key.ts";

const migrations = {
  "001-rows": {
    up: (trx: Database) => trx.raw("create table rows (config jsonb not null); create table texts (secret text)"),
  },
};
const newKeys = () => deriveKeys(randomBytes(32).toString("base64"));
const [keys, otherKeys] = [newKeys(), newKeys()];
const [own, other] = [secretBox(keys), secretBox(otherKeys)];
let db: Database;

beforeAll(async () => {
  const schema = `known_key_${randomUUID().replace(/[^a-f]/g, "")}`;
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog });
});
beforeEach(() => db.raw("truncate rows, texts"));
afterAll(() => db.destroy());

const { check, oidcClient } = secretContexts;
const start = ({ secrets = own, isAbandoned = false, log = silentLog } = {}) => {
  const texts = [
    { context: check, query: sealedWithin("rows") },
    { context: oidcClient, query: "select secret as sealed from texts" },
  ];
  return refuseUnknownKey({ db, log, secrets, texts, isAbandoned });
};
const insertConfig = (...sealed: string[]) =>
  db("rows").insert(
    sealed.map((text) => ({ config: JSON.stringify({ headers: [{ name: "sealed", value: { sealed: text } }] }) })),
  );

test("a key that opens nothing is refused with instructions, and without secret values", async () => {
  await insertConfig(other.seal("hunter2", check));
  const refusal = await start().catch((fault: unknown) => fault as Error);
  expect(refusal).toMatchObject({ name: "StartupError" });
  expect(refusal?.message).toMatch(/SONDE_SECRET_KEY.*secret-key.*SONDE_ABANDON_SECRETS=1/);
  for (const secret of Object.values({ ...keys, ...otherKeys })) expect(refusal?.message).not.toContain(secret);
});

test("separate columns are checked, too", async () => {
  await db("texts").insert([{ secret: null }, { secret: other.seal("hunter2", oidcClient) }]);
  await expect(start()).rejects.toThrow(/another key/);
  await db("texts").insert({ secret: own.seal("hunter2", oidcClient) });
  await expect(start()).resolves.toBeUndefined();
});

test("a start without sealed secrets is allowed", async () => {
  await expect(start()).resolves.toBeUndefined();
  await db("rows").insert({ config: JSON.stringify({ sealed: "as a plain text", headers: [] }) });
  await expect(start()).resolves.toBeUndefined();
});

test("one readable secret is enough, wherever it is", async () => {
  await insertConfig(...Array.from({ length: 1_500 }, () => other.seal("lost", check)), own.seal("kept", check));
  await expect(start()).resolves.toBeUndefined();
});

test("during a key change, secrets of the old key are readable", async () => {
  await insertConfig(other.seal("old", check));
  await expect(
    start({ secrets: secretBox({ SONDE_KEY_CHECK: `${keys.SONDE_KEY_CHECK},${otherKeys.SONDE_KEY_CHECK}` }) }),
  ).resolves.toBeUndefined();
});

test("secrets of version 0.1.0 are readable with its key", async () => {
  const former = encrypt(Buffer.from(keys.SONDE_KEY_V1, "base64"), Buffer.from("old"), check).toString("base64url");
  await insertConfig(`v1.${former}`);
  await expect(start()).resolves.toBeUndefined();
  await expect(start({ secrets: other })).rejects.toThrow(/another key/);
});

test("abandoned secrets do not prevent a start", async () => {
  await insertConfig(other.seal("lost", check));
  const lines: string[] = [];
  const log = createLog("test", "warn", { write: (line: string) => void lines.push(line) });
  await expect(start({ isAbandoned: true, log })).resolves.toBeUndefined();
  expect(lines.join()).toContain("entered again");
});
