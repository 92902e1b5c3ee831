import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { createPasswords } from "@sonde/kit/passwords";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock, type TimerClock } from "@sonde/kit/time/clock";
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { migrations } from "../../migrations/index.ts";
import type { Context } from "../context.ts";
import { displayNames } from "../collect/targets.ts";
import { type FakeSources, fakeSources } from "./sources.ts";

const passwords = createPasswords("test");

export const uniqueSchema = () => `status_${randomUUID().replace(/[^a-f]/g, "")}`;

export const openTables = (schema = uniqueSchema()): Promise<Database> =>
  openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, poolSize: 6, camelCase: true });

export type PageBed = Context & { fake: FakeSources };

export async function openBed({
  schema,
  clock = systemClock,
}: { schema?: string; clock?: TimerClock } = {}): Promise<PageBed> {
  const fake = fakeSources();
  return {
    fake,
    db: await openTables(schema),
    clock,
    log: silentLog,
    secrets: secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64"))),
    passwords: await passwords,
    sources: fake.sources,
    publicUrl: "https://sonde.example.com",
    namesOf: async (config) =>
      displayNames(
        config,
        (type, id) => (type === "monitor" ? fake.monitors.get(id)?.name : fake.agents.get(id)?.name) ?? null,
      ),
    committed: () => {},
    changed: () => {},
    mailDue: () => {},
  };
}
