import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/embedded/nats";
import { watchMaintenance } from "@sonde/domain/maintenance/watch";
import { parseInput } from "@sonde/kit/bus/rpc";
import { silentLog } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";
import { accessKey } from "@sonde/proto/http/status/access";
import { documentParts, documentsKey, neutralKey } from "@sonde/proto/http/status/documents";
import { pageKey, statesKey } from "@sonde/proto/http/status/snapshot";
import { statusContract } from "@sonde/proto/rpc/status";
import { buckets } from "@sonde/proto/streams";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createAnnouncement } from "./announcements/announcements.ts";
import { createMaintenance } from "./maintenance/maintenance.ts";
import { createPage, deletePage, updatePage } from "./pages/pages.ts";
import { type PageBed, openBed } from "./testing/bed.ts";
import { inlineRenderer } from "./testing/documents.ts";
import { eventually } from "./testing/eventually.ts";
import { startPages } from "./page-loop.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let bed: PageBed;
const running: Service[] = [];
beforeAll(async () => void (nats = await startNats()));
afterAll(() => nats.stop());
beforeEach(async () => {
  bed = await openBed();
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});
afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.stop();
  for (const bucket of [buckets.status, buckets.maintenance]) await bus.jsm.streams.delete(`KV_${bucket}`);
  await bus.close();
  await bed.db.destroy();
});

const { methods } = statusContract;
const create = (input: object) => createPage(bed, parseInput(methods.createPage.input, input));
const update = (input: object) => updatePage(bed, parseInput(methods.updatePage.input, input));
const announce = (input: object) =>
  createAnnouncement(bed, parseInput(methods.createAnnouncement.input, { impact: "minor", ...input }));
function start(): void {
  const maintenance = watchMaintenance(bus);
  const live = startPages(bed, { bus, maintenance, renderer: inlineRenderer(), everyMs: 3_600_000 });
  bed.changed = live.changed;
  running.push(maintenance, live);
}

const keysOf = (slug: string) => [
  pageKey(slug),
  statesKey(slug),
  ...documentParts.map((part) => documentsKey(slug, part)),
];
async function textOf(key: string): Promise<string> {
  const entry = await (await bus.kv(buckets.status)).get(key);
  if (entry?.operation !== "PUT") return "";
  if (key.endsWith(".access")) return entry.string();
  return (key.includes(".documents") ? brotliDecompressSync : gunzipSync)(entry.value).toString();
}
const bytesOf = async (slug: string) => (await Promise.all([...keysOf(slug), accessKey(slug)].map(textOf))).join("\n");

function seeded(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test.each([1, 2, 3])("content that only one page shows is in no byte of another (%i)", async (seed) => {
  const below = seeded(seed);
  const slugs = ["default", "acme", "bravo", "carol"];
  const targets = Array.from({ length: 12 }, (_, at) => 9_100_001 + at);
  /** Each secret text, and the pages that may contain it. */
  const secrets: { text: string; on: Set<string>; mayBe?: true }[] = [];
  const shownBy = new Map<string, number[]>();
  const pagesOf = (id: number) => slugs.filter((slug) => shownBy.get(slug)?.includes(id));

  for (const id of targets) bed.fake.addMonitor({ id, name: `own-name-${id}-own`, status: "up" });
  for (const slug of slugs)
    shownBy.set(
      slug,
      targets.filter(() => below(3) === 0),
    );
  for (const slug of slugs) {
    const monitors = shownBy.get(slug)!;
    const names = monitors
      .filter(() => below(2) === 0)
      .map((id) => ({ type: "monitor", id, name: `${slug}-calls-${id}` }));
    const groups = [{ name: `group-of-${slug}`, monitors: monitors.slice(0, 2) }];
    const given = { title: `title-of-${slug}`, description: `about-${slug}`, monitors, names, groups };
    const access = below(2) === 0 ? { mode: "password", password: `password-of-${slug}` } : { mode: "public" };
    await (slug === "default"
      ? update({ slug, ...given })
      : create({ slug, ...given, access, hosts: [`${slug}.example`] }));
    for (const text of [`title-of-${slug}`, `about-${slug}`]) secrets.push({ text, on: new Set([slug]) });
    for (const text of [`group-of-${slug}`, `${slug}-calls-`, `${slug}.example`]) {
      secrets.push({ text, on: new Set([slug]), mayBe: true });
    }
    secrets.push({ text: `password-of-${slug}`, on: new Set() });
  }
  for (const id of targets) {
    const on = new Set(pagesOf(id));
    secrets.push({ text: `own-name-${id}-own`, on, mayBe: true }, { text: String(id), on });
  }
  for (let at = 0; at < 8; at++) {
    const monitors = targets.filter(() => below(5) === 0);
    const pages = below(2) === 0 ? slugs.filter(() => below(2) === 0) : null;
    await announce({ title: `announced-${at}-x`, text: `text-${at}-x`, monitors, pages });
    const on = new Set(pages ?? (monitors.length === 0 ? slugs : monitors.flatMap(pagesOf)));
    secrets.push({ text: `announced-${at}-x`, on }, { text: `text-${at}-x`, on });
    if (monitors.length === 0) continue;
    const [start, end] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const window = { name: `window-${at}-x`, note: `note-${at}-x`, monitors, start, end, pages };
    await createMaintenance(bed, parseInput(methods.createMaintenance.input, window));
    const showing = monitors.flatMap(pagesOf).filter((slug) => pages?.includes(slug) ?? true);
    secrets.push({ text: `window-${at}-x`, on: new Set(showing) }, { text: `note-${at}-x`, on: new Set(showing) });
  }
  for (const id of targets) {
    const openedAtMs = Date.now() - 3_600_000;
    bed.fake.addIncident({
      id: `m${id}`,
      targetType: "monitor",
      targetId: id,
      targetName: "x",
      kind: "down",
      openedAtMs,
    });
  }

  start();
  for (const slug of slugs) {
    await eventually(async () => {
      const [bytes, page] = [await bytesOf(slug), await textOf(documentsKey(slug, "page"))];
      for (const { text, on, mayBe } of secrets)
        if (on.has(slug) && !mayBe) expect(bytes, `${text} on ${slug}`).toContain(text);
      expect(page).toContain(`title-of-${slug}`);
    });
  }
  for (const slug of slugs) {
    const bytes = await bytesOf(slug);
    for (const { text, on } of secrets) if (!on.has(slug)) expect(bytes, `${text} on ${slug}`).not.toContain(text);
    for (const other of slugs) if (other !== slug) expect(bytes).not.toContain(`/status/${other}`);
  }
  const neutral = await textOf(neutralKey);
  expect(neutral).toContain("locked.en-US");
  for (const { text } of secrets) expect(neutral).not.toContain(text);
});

test("a deleted page leaves nothing, including announcements only for it", async () => {
  bed.fake.addMonitor({ id: 1, name: "Shop", status: "up" });
  start();
  await create({ slug: "acme", title: "Acme", monitors: [1] });
  await announce({ title: "For Acme", pages: ["acme"] });
  await eventually(async () => expect(await bytesOf("acme")).toContain("For Acme"));
  await eventually(async () => expect(await textOf(documentsKey("acme", "others"))).not.toBe(""));
  await deletePage(bed, "acme");
  await eventually(async () => expect((await bytesOf("acme")).trim()).toBe(""));
  await create({ slug: "acme", title: "Another" });
  await eventually(async () => expect(await textOf(documentsKey("acme", "page"))).toContain("Another"));
  for (const slug of ["acme", "default"]) expect(await bytesOf(slug)).not.toContain("For Acme");
});

test("links and data belong to the page, and search engines are excluded from a private one", async () => {
  bed.fake.addMonitor({ id: 1, name: "Shop", status: "up" });
  start();
  await create({ slug: "acme", title: "Acme", monitors: [1], hosts: ["status.acme.example"] });
  const page = () => textOf(documentsKey("acme", "page"));
  await eventually(async () => expect(await page()).toContain('href="/status/acme/history?lang=en-US"'));
  const text = await page();
  for (const href of ["https://status.acme.example/status/acme/feed.atom", "/status/acme/data.json"]) {
    expect(text).toContain(`href="${href}"`);
  }
  expect(text).not.toContain("sonde.example.com");
  expect(text).not.toContain("/api/status");
  expect(text).not.toContain('name="robots"');
  await update({ slug: "acme", access: { mode: "members" } });
  await eventually(async () => expect(await page()).toContain('<meta name="robots" content="noindex" />'));
});
