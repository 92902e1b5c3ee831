import { impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { type AccessMode, accessModes } from "@sonde/proto/http/status/access";
import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import * as z from "zod";
import { nextRevision } from "../maintenance/store.ts";
import { readStored } from "./config.ts";

export type StoredAccess = { mode: AccessMode; domains: string[]; addresses: string[]; allowFrom: string[] };

/** A stored page. `updatedAtMs` is `null` if it was never saved. */
export type StoredPage = {
  slug: string;
  config: StatusConfig;
  hosts: string[];
  access: StoredAccess;
  passwordHash: string | null;
  cookieKey: Buffer | null;
  revision: number;
  updatedAtMs: number | null;
};
type Row = Omit<StoredPage, "config" | "access"> & { config: unknown; access: unknown };

// An unknown mode of a later version admits only members.
const storedAccess = z.object({
  mode: z.enum(accessModes).default("public").catch("members"),
  domains: z.array(z.string()).default([]),
  addresses: z.array(z.string()).default([]),
  allowFrom: z.array(z.string()).default([]),
});

const readRow = ({ config, access, ...row }: Row, log: Pick<Log, "error">): StoredPage => ({
  ...row,
  config: readStored(config, log),
  access: storedAccess.parse(access),
});

const unsaved: StoredPage = {
  slug: defaultSlug,
  config: defaultStatusConfig,
  hosts: [],
  access: storedAccess.parse({}),
  passwordHash: null,
  cookieKey: null,
  revision: 0,
  updatedAtMs: null,
};

export async function readPages(db: Database, log: Pick<Log, "error">): Promise<StoredPage[]> {
  const rows = await db<Row>("pages").orderByRaw("slug <> ?, slug", [defaultSlug]).select();
  const pages = rows.map((row) => readRow(row, log));
  return pages[0]?.slug === defaultSlug ? pages : [unsaved, ...pages];
}

export async function loadPage(db: Database, log: Pick<Log, "error">, slug: string): Promise<StoredPage | undefined> {
  const row = await db<Row>("pages").where({ slug }).first();
  if (row !== undefined) return readRow(row, log);
  return slug === defaultSlug ? unsaved : undefined;
}

export const readDefaultPage = async (db: Database, log: Pick<Log, "error">): Promise<StoredPage> =>
  (await loadPage(db, log, defaultSlug)) ?? unsaved;

/** Serialises changes of pages, which could otherwise both find room, or claim the same host. */
export const lockPages = (trx: Database) => trx.raw("lock table pages in share row exclusive mode");

export async function writePage(trx: Database, page: Omit<StoredPage, "revision">): Promise<void> {
  const { config, access, ...row } = page;
  await trx("pages")
    .insert({
      ...row,
      config: JSON.stringify(config),
      access: JSON.stringify(access),
      revision: nextRevision(trx),
    })
    .onConflict("slug")
    .merge();
}

/** Marks a page's access rules for publishing. */
export const accessChanged = async (trx: Database, slug: string): Promise<void> =>
  void (await trx("pages")
    .where({ slug })
    .update({ revision: nextRevision(trx) }));

export type StoredLink = {
  id: number;
  slug: string;
  name: string;
  tokenHash: Buffer;
  createdAtMs: number;
  expiresAtMs: number | null;
};

export const readLinks = (db: Database, slug?: string): Promise<StoredLink[]> =>
  db<StoredLink>("page_links")
    .modify((links) => slug !== undefined && void links.where({ slug }))
    .orderBy("id")
    .select();

/** @throws AppError `impossible` with the path of each page that does not exist and is not in `before` */
export async function refuseUnknownPages(
  trx: Database,
  pages: readonly string[] | null | undefined,
  before: readonly string[] | null | undefined = [],
): Promise<void> {
  const fresh = (pages ?? []).filter((slug) => slug !== defaultSlug && !before?.includes(slug));
  if (fresh.length === 0) return;
  const rows = await trx("pages").whereIn("slug", fresh).select<{ slug: string }[]>("slug");
  const details = fresh
    .filter((slug) => !rows.some((row) => row.slug === slug))
    .map((slug) => ({ path: `pages.${pages!.indexOf(slug)}`, message: "Page does not exist" as const }));
  if (details.length > 0) throw impossible(details);
}
