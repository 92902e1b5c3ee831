import { record } from "@sonde/domain/audit";
import { AppError, impossible } from "@sonde/kit/errors";
import { refuseOwned } from "@sonde/domain/managed/table";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import { defaultStatusConfig, type StatusConfig, type StatusConfigInput } from "@sonde/proto/http/status/config";
import type { ListedPage, NewPage, PageChange, PageLink, StatusPage } from "@sonde/proto/http/status/pages";
import type { AuditAction } from "@sonde/proto/http/audit";
import { maxPages, reservedSlugs } from "@sonde/proto/http/status/slugs";
import { defaultSlug, pagePath } from "@sonde/proto/http/status/snapshot";
import { isoInstant } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import { changedSettings } from "./config.ts";
import { existingIn, getPageOwner, pageId, prepareChange, readConfig } from "./settings.ts";
import { accessErrors, changeAccess, isStricter } from "./access.ts";
import { useImages } from "./images.ts";
import { lockPages, readLinks, loadPage, readPages, type StoredLink, type StoredPage, writePage } from "./store.ts";

export const missingPage = () => new AppError("not_found", "Page does not exist");

/** Base of a page's links: its first host, else the installation's; `null` if neither is configured. */
export function pageOrigin({ hosts: [host] }: Pick<StoredPage, "hosts">, publicUrl: string | null): string | null {
  if (host === undefined) return publicUrl;
  // A page's host uses the installation's scheme and port.
  const { protocol, port } = new URL(publicUrl ?? "https://sonde.invalid");
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
}

function urlOf({ publicUrl }: Pick<Context, "publicUrl">, page: StoredPage): string {
  const origin = pageOrigin(page, publicUrl) ?? "";
  return page.hosts.length > 0 ? `${origin}/` : origin + pagePath(page.slug);
}

export async function listPages(ctx: Context): Promise<ListedPage[]> {
  const pages = await readPages(ctx.db, ctx.log);
  return pages.map((page) => ({
    slug: page.slug,
    title: page.config.title,
    mode: page.access.mode,
    hosts: page.hosts,
    url: urlOf(ctx, page),
  }));
}

/** Returns a page, without deleted targets. @throws AppError `not_found` */
export async function getPage(ctx: Context, slug: string): Promise<StatusPage> {
  const page = await loadPage(ctx.db, ctx.log, slug);
  if (page === undefined) throw missingPage();
  const links = await readLinks(ctx.db, slug);
  const managed = slug === defaultSlug ? await getPageOwner(ctx) : undefined;
  return { ...present(ctx, { ...page, config: await existingIn(ctx, page.config) }, links), managed };
}

const shownAccess = ({ access, passwordHash }: StoredPage) => ({ ...access, hasPassword: passwordHash !== null });

const present = (ctx: Context, page: StoredPage, links: readonly StoredLink[]): StatusPage => ({
  slug: page.slug,
  ...page.config,
  hosts: page.hosts,
  access: shownAccess(page),
  links: links.map(presentLink),
  url: urlOf(ctx, page),
  updatedAt: page.updatedAtMs === null ? undefined : isoInstant(page.updatedAtMs),
});

export const presentLink = ({ id, name, createdAtMs, expiresAtMs }: StoredLink): PageLink => ({
  id,
  name,
  createdAt: isoInstant(createdAtMs),
  expiresAt: expiresAtMs === null ? undefined : isoInstant(expiresAtMs),
});

/** @throws AppError `invalid`, `conflict`, `impossible` (with paths), `unavailable` */
export function createPage(ctx: Context, { slug, ...change }: NewPage): Promise<StatusPage> {
  if (reservedSlugs.has(slug)) throw impossible([{ path: "slug", message: "This slug is reserved" }]);
  const taken = () =>
    new AppError("conflict", "A page with this slug already exists", {
      details: [{ path: "slug", message: "A page with this slug already exists" }],
    });
  return savePage(ctx, slug, change, async (trx) => {
    if ((await loadPage(trx, ctx.log, slug)) !== undefined) throw taken();
    const { length } = await readPages(trx, ctx.log);
    const params = { max: maxPages };
    if (length >= maxPages) {
      throw new AppError("impossible", "The limit of {max} pages has been reached: delete one first", { params });
    }
    return null;
  });
}

/** Changes the given fields. @throws AppError `not_found`, and as `createPage` does */
export const updatePage = (ctx: Context, { slug, ...change }: PageChange & { slug: string }): Promise<StatusPage> =>
  savePage(ctx, slug, change, async (trx) => {
    const before = await loadPage(trx, ctx.log, slug);
    if (before === undefined) throw missingPage();
    return before;
  });

/** Changes the given settings of the default page. Returns the whole configuration. @throws as `updatePage` does */
export async function updateConfig(ctx: Context, input: StatusConfigInput): Promise<StatusConfig> {
  await updatePage(ctx, { slug: defaultSlug, ...input });
  return readConfig(ctx);
}

/** @param find returns the page before its change, read in the transaction; `null` for a new one */
async function savePage(
  ctx: Context,
  slug: string,
  { hosts, access, ...input }: PageChange,
  find: (trx: Database) => Promise<StoredPage | null>,
): Promise<StatusPage> {
  const known = await orUnavailable(() => loadPage(ctx.db, ctx.log, slug));
  const change = await prepareChange(ctx, input, known?.config ?? defaultStatusConfig);
  const password = access?.password;
  const passwordHash =
    password === undefined ? undefined : await ctx.passwords.inTurn("owners", ({ hash }) => hash(password));
  await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      await lockPages(trx);
      const before = await find(trx);
      const config = change(before?.config ?? defaultStatusConfig);
      if (before !== null && slug === defaultSlug) {
        const changed = () => changedSettings(before.config, config).filter((field) => input[field] !== undefined);
        await refuseOwned(trx, { kind: "page", id: pageId, name: before.config.title }, changed);
      }
      const next = {
        slug,
        config,
        hosts: hosts ?? before?.hosts ?? [],
        ...changeAccess(before, { access, passwordHash }),
        updatedAtMs: ctx.clock.now(),
      };
      await refuseTakenHosts(ctx, trx, next);
      await useImages({ db: trx, clock: ctx.clock }, config, before?.config);
      const faults = accessErrors(next, ctx.publicUrl);
      if (faults.length > 0) throw impossible(faults);
      await writePage(trx, next);
      const secrets = passwordHash === undefined ? [] : (["access.password"] as const);
      await recordPage(trx, before === null ? "create" : "update", before, next, secrets);
      // Links that are being mailed follow the previous access.
      if (before !== null && isStricter(before, next)) await trx("page_mails").where({ slug }).delete();
    }),
  );
  ctx.committed();
  ctx.changed(slug);
  return getPage(ctx, slug);
}

export function recordPage(
  trx: Database,
  action: AuditAction,
  before: AuditedPage | null,
  after: AuditedPage | null,
  secrets: readonly "access.password"[] = [],
): Promise<void> {
  const { slug, config } = (after ?? before)!;
  const target = { type: "page", id: slug, name: config.title } as const;
  return record(trx, "status-page", {
    action,
    target,
    before: before && audited(before),
    after: after && audited(after),
    secrets,
  });
}

type AuditedPage = Pick<StoredPage, "slug" | "config" | "hosts" | "access">;
const audited = ({ config, hosts, access }: AuditedPage) => ({ ...config, hosts, access });

async function refuseTakenHosts(
  { publicUrl }: Pick<Context, "publicUrl">,
  trx: Database,
  { slug, hosts }: Pick<StoredPage, "slug" | "hosts">,
): Promise<void> {
  const own = publicUrl === null ? null : new URL(publicUrl).hostname;
  const ours = hosts.indexOf(own ?? "");
  if (ours >= 0) throw impossible([{ path: `hosts.${ours}`, message: "This is Sonde's own address" }]);
  const others = await trx("pages")
    .whereNot({ slug })
    .whereRaw("hosts && ?::text[]", [hosts])
    .select<{ hosts: string[] }[]>("hosts");
  const taken = new Set(others.flatMap((other) => other.hosts));
  const at = hosts.findIndex((host) => taken.has(host));
  if (at < 0) return;
  const message = "Another page already uses this host name";
  throw new AppError("conflict", message, { details: [{ path: `hosts.${at}`, message }] });
}

/** Also deletes links, subscribers and mails. @throws AppError `not_found`, `impossible` for the default page */
export async function deletePage(ctx: Context, slug: string): Promise<void> {
  if (slug === defaultSlug) throw new AppError("impossible", "The default page cannot be deleted");
  await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      await lockPages(trx);
      const before = await loadPage(trx, ctx.log, slug);
      if (before === undefined) throw missingPage();
      await trx("pages").where({ slug }).delete();
      for (const table of ["subscribers", "mailings"]) await trx(table).where({ page: slug }).delete();
      await trx("page_mails").where({ slug }).delete();
      // Announcements and windows only for this page then belong to none: a later page with the same slug must not show
      // them.
      for (const table of ["announcements", "windows"]) {
        await trx(table)
          .whereRaw("? = any(pages)", [slug])
          .update({ pages: trx.raw("array_remove(pages, ?)", [slug]) });
      }
      await recordPage(trx, "delete", before, null);
    }),
  );
  ctx.committed();
  ctx.changed(slug);
}
