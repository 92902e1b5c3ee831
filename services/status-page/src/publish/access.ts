import type { Bus } from "@sonde/kit/bus/connect";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { accessKey, type PageAccess } from "@sonde/proto/http/status/access";
import { buckets } from "@sonde/proto/streams";
import { readLinks, loadPage, readPages, type StoredLink, type StoredPage } from "../pages/store.ts";

type PublishedAccess = {
  /** Puts what differs, and purges all keys of pages that are gone. @throws while the bus or the database is away */
  publish(): Promise<void>;
  /** The same of one page alone. */
  publishOne(slug: string): Promise<void>;
  /** The same, if the bucket may not have it. */
  ensure(slug: string): Promise<void>;
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
        // Before the pages: one that is made meanwhile is not taken for one that is gone.
        const found = await keysOf(">");
        const pages = await readPages(db, log);
        for (const { slug, revision } of pages) if ((written.get(slug) ?? -1) < revision) await put(slug);
        const slugs = new Set(pages.map(({ slug }) => slug));
        // Keys of no page begin with another letter than slugs do.
        await purge(found.filter((key) => /^[a-z0-9]/.test(key) && !slugs.has(slugOf(key))));
      }),
    publishOne: (slug) => inOrder(() => put(slug)),
    ensure: async (slug) => void (written.has(slug) || (await inOrder(() => put(slug)))),
    forget: () => written.clear(),
  };
}

const slugOf = (key: string) => key.slice(0, key.indexOf("."));

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
