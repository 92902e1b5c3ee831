import { impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { type AccessMode, accessModes } from "@sonde/proto/http/status/access";
import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import * as z from "zod";
import { nextRevision } from "../maintenance/store.ts";
import { readStored } from "./config.ts";

/** Who may read a page, but for what is secret. */
export type StoredAccess = { mode: AccessMode; domains: string[]; addresses: string[]; allowFrom: string[] };

/** A page as it is kept. `updatedAtMs` null: it was never saved. */
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

// A mode of a later version lets in members alone.
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

/** The default page as it is before anything is saved. */
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

/** All pages, the default one first. */
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

/** The default page, which always exists. */
export const readDefaultPage = async (db: Database, log: Pick<Log, "error">): Promise<StoredPage> =>
  (await loadPage(db, log, defaultSlug)) ?? unsaved;

/** Changes of two pages at once must not both find room, or a host. */
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

/** What the bucket has of its access is to be written again. */
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

/** Of one page, or of all. */
export const readLinks = (db: Database, slug?: string): Promise<StoredLink[]> =>
  db<StoredLink>("page_links")
    .modify((links) => slug !== undefined && void links.where({ slug }))
    .orderBy("id")
    .select();

/** @throws AppError `impossible` with the path of each page that is not there, and was not named before */
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
