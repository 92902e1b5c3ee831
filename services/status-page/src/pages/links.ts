import { record } from "@sonde/domain/audit";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { defaultSlug, pagePath } from "@sonde/proto/http/status/snapshot";
import type { PageLink } from "@sonde/proto/http/status/pages";
import { randomBytes } from "node:crypto";
import type { Context } from "../context.ts";
import { subscriberTokenHash } from "../subscribers/store.ts";
import { missingPage, pageOrigin, presentLink } from "./pages.ts";
import { accessChanged, lockPages, readLinks, loadPage, type StoredPage, type StoredLink, writePage } from "./store.ts";

const maxLinks = 100;

export const openUrl = (page: Pick<StoredPage, "slug" | "hosts">, publicUrl: string | null, token: string): string =>
  `${pageOrigin(page, publicUrl) ?? ""}${pagePath(page.slug)}/open?token=${token}`;

/** @throws AppError `not_found`, `invalid` if it already expired, `impossible` if there are too many */
export async function createLink(
  ctx: Context,
  { slug, name, expiresAt }: { slug: string; name: string; expiresAt?: string | undefined },
): Promise<{ link: PageLink; url: string }> {
  const expiresAtMs = expiresAt === undefined ? null : Date.parse(expiresAt);
  if (expiresAtMs !== null && expiresAtMs <= ctx.clock.now()) {
    throw invalid([{ path: "expiresAt", message: "Choose a time in the future" }]);
  }
  const token = randomBytes(32).toString("base64url");
  return change(ctx, slug, async (trx, page, before) => {
    if (before.length >= maxLinks) {
      const params = { max: maxLinks };
      throw new AppError("impossible", "The limit of {max} links has been reached: delete one first", { params });
    }
    // The default page only has a row after it was saved.
    if (slug === defaultSlug && page.updatedAtMs === null) await writePage(trx, { ...page, updatedAtMs: 0 });
    const [link] = await trx("page_links")
      .insert({ slug, name, tokenHash: subscriberTokenHash(token), createdAtMs: ctx.clock.now(), expiresAtMs })
      .returning<StoredLink[]>("*");
    return { link: presentLink(link!), url: openUrl(page, ctx.publicUrl, token) };
  });
}

/** Deletes a link, which invalidates its cookies. @throws AppError `not_found` */
export const deleteLink = (ctx: Context, { slug, id }: { slug: string; id: number }): Promise<void> =>
  change(ctx, slug, async (trx) => {
    if ((await trx("page_links").where({ slug, id }).delete()) === 0) {
      throw new AppError("not_found", "Link does not exist");
    }
  });

async function change<Result>(
  ctx: Context,
  slug: string,
  run: (trx: Database, page: StoredPage, before: StoredLink[]) => Promise<Result>,
): Promise<Result> {
  const result = await ctx.db.transaction(async (trx) => {
    await lockPages(trx);
    const page = await loadPage(trx, ctx.log, slug);
    if (page === undefined) throw missingPage();
    const before = await readLinks(trx, slug);
    const done = await run(trx, page, before);
    await accessChanged(trx, slug);
    const links = async () => (await readLinks(trx, slug)).map(presentLink);
    await record(trx, "status-page", {
      action: "update",
      target: { type: "page", id: slug, name: page.config.title },
      before: { links: before.map(presentLink) },
      after: { links: await links() },
    });
    return done;
  });
  ctx.committed();
  ctx.changed(slug);
  return result;
}
