import type { Bus } from "@sonde/kit/bus/connect";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { accessKey, type PageAccess } from "@sonde/proto/http/status/access";
import { buckets } from "@sonde/proto/streams";
import { readLinks, loadPage, readPages, type StoredLink, type StoredPage } from "../pages/store.ts";

type PublishedAccess = {
  /** Puts what differs, and purges all keys of deleted pages. @throws while the bus or the database is unavailable */
  publish(): Promise<void>;
  publishOne(slug: string): Promise<void>;
  /** Publishes one page if the bucket may not have it. */
  ensure(slug: string): Promise<void>;
  /** The bucket may have lost its values. */
  forget(): void;
};

const attempts = 5;

/** Keeps access rules in the bucket `status` up to date. Replicas do the same; a newer revision wins. */
export function openAccess({ bus, db, log }: { bus: Bus; db: Database; log: Pick<Log, "error"> }): PublishedAccess {
  const inOrder = createQueue();
  const written = new Map<string, number>();

  const put = async (slug: string) => {
    const kv = await bus.kv(buckets.status);
    const key = accessKey(slug);
    for (let attempt = 1; ; attempt++) {
      const entry = await kv.get(key);
      const live = entry !== null && entry.operation === "PUT" ? entry : null;
      // Read after the bucket, so a page deleted in the meantime is not restored.
      const page = await loadPage(db, log, slug);
      if (page === undefined) return purge(await keysOf(`${slug}.>`));
      const { revision, updatedAtMs } = page;
      if (updatedAtMs === null) return;
      if (live === null || revisionIn(live.value) < revision) {
        const bytes = Buffer.from(JSON.stringify(accessOf(page, await readLinks(db, slug))));
        try {
          await (live === null ? kv.create(key, bytes) : kv.update(key, bytes, live.revision));
        } catch (error) {
          if (attempt === attempts) throw error;
          continue;
        }
      }
      return void written.set(slug, revision);
    }
  };
  const keysOf = async (filter: string) => {
    const found: string[] = [];
    for await (const key of await (await bus.kv(buckets.status)).keys(filter)) found.push(key);
    return found;
  };
  const purge = async (keys: readonly string[]) => {
    const kv = await bus.kv(buckets.status);
    for (const key of keys) {
      await kv.purge(key);
      written.delete(slugOf(key));
    }
  };

  return {
    publish: () =>
      inOrder(async () => {
        // Read before the pages, so a page created in the meantime does not count as deleted.
        const found = await keysOf(">");
        const pages = await readPages(db, log);
        for (const { slug, revision } of pages) if ((written.get(slug) ?? -1) < revision) await put(slug);
        const slugs = new Set(pages.map(({ slug }) => slug));
        // Keys that belong to no page start with a character that slugs cannot start with.
        await purge(found.filter((key) => /^[a-z0-9]/.test(key) && !slugs.has(slugOf(key))));
      }),
    publishOne: (slug) => inOrder(() => put(slug)),
    ensure: async (slug) => void (written.has(slug) || (await inOrder(() => put(slug)))),
    forget: () => written.clear(),
  };
}

const slugOf = (key: string) => key.slice(0, key.indexOf("."));

const accessOf = (page: StoredPage, links: readonly StoredLink[]): PageAccess => ({
  revision: page.revision,
  mode: page.access.mode,
  hosts: page.hosts,
  ...(page.access.mode !== "public" && page.cookieKey !== null && { key: page.cookieKey.toString("base64") }),
  links: links.map(({ id, tokenHash, expiresAtMs }) => ({
    id,
    hash: tokenHash.toString("base64url"),
    ...(expiresAtMs !== null && { expiresAtMs }),
  })),
  allowFrom: page.access.allowFrom,
});

function revisionIn(value: Uint8Array): number {
  try {
    return Number((JSON.parse(Buffer.from(value).toString()) as Partial<PageAccess>).revision ?? -1);
  } catch {
    return -1;
  }
}
