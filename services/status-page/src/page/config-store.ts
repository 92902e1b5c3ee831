import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { readStored } from "./stored-config.ts";

/** `updatedAtMs`: epoch milliseconds; null: never saved, the defaults apply. */
export type StoredStatusConfig = { config: StatusConfig; updatedAtMs: number | null };

type Row = { slug: string; config: unknown; updatedAtMs: number };

/** The page's configuration, whole. */
export async function readConfig(db: Database, log: Pick<Log, "error">): Promise<StoredStatusConfig> {
  const row = await db<Row>("pages").where({ slug: defaultSlug }).first("config", "updatedAtMs");
  return { config: readStored(row?.config, log), updatedAtMs: row?.updatedAtMs ?? null };
}

export async function writeConfig(db: Database, config: StatusConfig, updatedAtMs: number): Promise<void> {
  await db("pages")
    .insert({ slug: defaultSlug, config: JSON.stringify(config), updatedAtMs })
    .onConflict("slug")
    .merge();
}
