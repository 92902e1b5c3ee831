import type { Bus } from "@sonde/kit/bus/connect";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { accessKey, type PageAccess } from "@sonde/proto/http/status/access";
import { buckets } from "@sonde/proto/streams";
import { readLinks, readPage, readPages, type StoredLink, type StoredPage } from "./store.ts";

type PublishedAccess = {
  /** Puts what differs, and purges all keys of pages that are gone. @throws while the bus or the database is away */
  publish(): Promise<void>;
  /** The bucket may have lost its values. */
  forget(): void;
};

const attempts = 5;

/** Keeps `<slug>.access` of each page in the bucket `status`. Replicas do the same; a newer revision always wins. */
export function openAccess({ bus, db, log }: { bus: Bus; db: Database; log: Pick<Log, "error"> }): PublishedAccess {
  const inOrder = createQueue();
  /** The revision of each page that the bucket has. */
  const written = new Map<string, number>();

  const put = async (slug: string) => {
    const kv = await bus.kv(buckets.status);
    const key = accessKey(slug);
    for (let attempt = 1; ; attempt++) {
      const entry = await kv.get(key);
      const live = entry !== null && entry.operation === "PUT" ? entry : null;
      // Read after the bucket: a page that was deleted meanwhile must not come back.
      const page = await readPage(db, log, slug);
      if (page === undefined) return;
      const { revision } = page;
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

  return {
    publish: () =>
      inOrder(async () => {
        const kv = await bus.kv(buckets.status);
        const found: string[] = [];
        // Before the pages: one that is made meanwhile is not taken for one that is gone.
        for await (const key of await kv.keys()) found.push(key);
        const pages = await readPages(db, log);
        for (const { slug, revision, updatedAtMs } of pages) {
          if (updatedAtMs !== null && (written.get(slug) ?? -1) < revision) await put(slug);
        }
        const slugs = new Set(pages.map(({ slug }) => slug));
        for (const key of found) {
          const slug = key.slice(0, key.indexOf("."));
          // Keys of no page begin with another letter than slugs do.
          if (!/^[a-z0-9]/.test(slug) || slugs.has(slug)) continue;
          await kv.purge(key);
          written.delete(slug);
        }
      }),
    forget: () => written.clear(),
  };
}

/** What gateways decide from. */
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
