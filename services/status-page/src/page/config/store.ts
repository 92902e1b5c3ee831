import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { type StatusConfig, defaultStatusConfig, statusConfig } from "@sonde/proto/http/status/config";
import { z } from "zod";

/** `updatedAtMs`: epoch milliseconds; null: never saved, the defaults apply. */
type StoredStatusConfig = { config: StatusConfig; updatedAtMs: number | null };

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

const { shape } = statusConfig;

// What another version stored beside is overlooked.
const stored = {
  ...shape,
  theme: z.object(shape.theme.shape),
  groups: z.array(z.object(shape.groups.element.shape)),
  names: z.array(z.object(shape.names.element.shape)),
  subscriptions: z.object(shape.subscriptions.shape),
};
const fields = Object.keys(shape) as (keyof StatusConfig)[];

/** A configuration as it was stored, by whichever version: a field that is missing or cannot be read has its default. */
export function readStored(value: unknown, log: Pick<Log, "error">): StatusConfig {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const read = fields.flatMap((field) => {
    if (given[field] === undefined) return [];
    const { data, error } = (stored[field] as z.ZodType).safeParse(given[field]);
    if (error === undefined) return [[field, data]];
    log.error({ err: error, field }, "a stored setting of the page cannot be read; its default holds");
    return [];
  });
  return keepShown({ ...defaultStatusConfig, ...Object.fromEntries(read) });
}

/** Without groups' entries that the page does not show, or that an earlier group has. */
export function keepShown(config: StatusConfig): StatusConfig {
  const taken = new Set<string>();
  const first = (kind: "monitors" | "agents") => (id: number) => {
    const key = `${kind}:${id}`;
    if (taken.has(key) || !config[kind].includes(id)) return false;
    taken.add(key);
    return true;
  };
  const groups = config.groups.map((group) => ({
    ...group,
    monitors: group.monitors.filter(first("monitors")),
    agents: group.agents.filter(first("agents")),
  }));
  return { ...config, groups };
}
