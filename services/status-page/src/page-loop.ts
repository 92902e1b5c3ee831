import type { Bus } from "@sonde/kit/bus/connect";
import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { neutralKey } from "@sonde/proto/http/status/documents";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "./context.ts";
import { openAccess } from "./publish/access.ts";
import { readPages, type StoredPage } from "./pages/store.ts";
import { applyEvent, followEvents, targetOf } from "./collect/events.ts";
import { type Memory, nothingEarlier, openFacts } from "./collect/facts.ts";
import { figuresEveryMs } from "./render/figures.ts";
import { openPage, type PageLoop } from "./one-page.ts";
import type { Renderer } from "./render/renderer.ts";
import { idsOf, keyOf, shownTargets, targetsOf } from "./collect/targets.ts";
import { turnsBy } from "./paced-loop.ts";

/** The published pages. */
export type LivePage = Service & {
  /** What all of them list, or one of them, was changed: it is rendered again within a second. */
  changed(slug?: string): void;
  /** Resolves once the bucket has who may read a page, and after two seconds in any case. */
  published(slug: string): Promise<void>;
  /** What is known of a page; of one that is not there yet, what all pages know. */
  memoryOf(slug?: string): Memory;
};

type LiveOptions = {
  bus: Bus;
  maintenance: MaintenanceWatch;
  renderer: Renderer;
  /** How often all facts are queried again; default a minute. */
  everyMs?: number;
};

const minuteMs = 60_000;
/** metrics takes changed windows in by then, and counts days without them. */
const countedAnewMs = 3_000;
const publishedWithinMs = 2_000;
const mostComposing = 3;
/**
 * Keeps snapshot, states and documents of all pages in the bucket `status`: after each change, and each minute. Facts are
 * asked for once for all of them. Those of services that do not answer stay as last known, or as published before this
 * process started.
 */
export function startPage(ctx: Context, options: LiveOptions): LivePage {
  const { bus, maintenance, renderer, everyMs = minuteMs } = options;
  const { clock, log } = ctx;
  const facts = openFacts(ctx.sources);
  const composing = createLimiter<string>({ total: mostComposing, waiting: Infinity });
  const pages = new Map<string, PageLoop>();
  const inOrder = createQueue();
  let othersEveryMs = 0;
  /** What all pages show together. */
  let shown: { monitors: number[]; agents: number[] } = { monitors: [], agents: [] };
  let stopped = false;
  let hasBegun = false;
  let cancelCounting = () => {};
  const turns = turnsBy(ctx);
  const all = () => [...pages.values()];

  /** Follows the pages that are there now. */
  const loadPages = () => inOrder(load);
  const load = async () => {
    const stored = await readPages(ctx.db, log);
    const slugs = new Set(stored.map(({ slug }) => slug));
    for (const [slug, page] of pages) {
      if (slugs.has(slug)) continue;
      pages.delete(slug);
      void page.stop();
    }
    for (const page of stored) {
      const loop = pages.get(page.slug);
      if (loop === undefined) await follow(page);
      else loop.take(page);
    }
    const count = stored.reduce((sum, { config }) => sum + shownTargets(config).length, 0);
    // The default page is never late for the sake of the others; of these no figure is rendered twice in half a minute.
    othersEveryMs = Math.max(figuresEveryMs(count), everyMs / 2);
    const targets = new Map(stored.flatMap(({ config }) => shownTargets(config)).map((one) => [keyOf(one), one]));
    const union = [...targets.values()];
    shown = { monitors: idsOf(union, "monitor"), agents: idsOf(union, "agent") };
  };
  const follow = async (page: StoredPage) => {
    if (stopped) return;
    const figures = () => (page.slug === defaultSlug ? 0 : othersEveryMs);
    const shared = { bus, maintenance, renderer, facts, everyMs, composing };
    const withAccess = () => published.ensure(page.slug);
    const loop = openPage(ctx, page, { ...shared, figuresEveryMs: figures, withAccess, onSaved: () => saved.soon() });
    await loop.begin();
    pages.set(page.slug, loop);
  };
  /** Without the database the pages keep their last configuration. */
  const tryPages = () => loadPages().catch((error: unknown) => log.debug({ err: error }, "no configuration read"));

  const published = openAccess({ bus, db: ctx.db, log });
  const access = turns("access", { delayMs: 0, everyMs: 1_000, retryMs: 2_000 }, published.publish);

  const begin = turns("begin", { delayMs: 0, everyMs: 0, retryMs: 1_000 }, async () => {
    await loadPages();
    hasBegun = true;
    for (const turn of [asking, history, neutral]) turn.soon();
  });

  /** Facts are asked for if a page shows what none showed before. */
  const saved = turns("pages", { delayMs: 20, everyMs: 200, retryMs: 5_000 }, async () => {
    access.soon();
    await loadPages();
    if (targetsNow().some(isNew)) asking.soon();
  });
  const lacksHistory = (target: TargetRef) => !facts.history.knows(target);
  // A preview reads the days of targets whose facts no page has queried yet.
  const isNew = (target: TargetRef) =>
    lacksHistory(target) || !(target.type === "monitor" ? facts.monitors : facts.agents).get(target.id);
  const targetsNow = () => targetsOf(shown.monitors, shown.agents);

  const asking = turns("facts", { delayMs: 20, everyMs: 1_000, retryMs: 5_000 }, async () => {
    await tryPages();
    const askedAtMs = clock.now();
    const { monitors, agents } = shown;
    const needsHistory = targetsNow().some(lacksHistory);
    const asked = [facts.monitors.ask(monitors), facts.agents.ask(agents)];
    // Nothing is published while one of them is unavailable: another replica may have newer facts.
    for (const answer of await Promise.allSettled(asked)) if (answer.status === "rejected") throw answer.reason;
    facts.heard(askedAtMs);
    for (const page of all()) page.asked();
    if (needsHistory) history.soon();
  });

  const history = turns("history", { delayMs: 100, everyMs: 1_000, retryMs: 10_000 }, async () => {
    const { monitors, agents } = shown;
    const known = agents.flatMap((id) => {
      const found = facts.agents.get(id);
      return found === undefined ? [] : [[id, found] as const];
    });
    await facts.history
      .refresh({ monitors, agents: new Map(known) }, clock.now())
      .finally(() => facts.history.keep(targetsOf(monitors, agents)));
    for (const page of all()) page.contentChanged();
  });

  const neutral = turns("locked", { delayMs: 0, everyMs: 0, retryMs: 5_000 }, async () => {
    const bytes = await renderer.neutral();
    await (await bus.kv(buckets.status)).put(neutralKey, bytes);
  });

  const refresh = () => {
    for (const page of all()) page.refresh();
  };
  let windowsRead = false;
  maintenance.onChange(() => {
    refresh();
    const isNew = windowsRead;
    windowsRead ||= maintenance.isCurrent();
    if (stopped || !isNew) return;
    cancelCounting();
    cancelCounting = clock.setTimeout(() => {
      facts.history.forget();
      history.soon();
    }, countedAnewMs);
  });
  const askAll = () => {
    access.soon();
    if (!hasBegun) return begin.soon();
    asking.soon();
    history.soon();
  };
  const offReconnect = bus.onReconnect(() => {
    for (const page of all()) page.forget();
    published.forget();
    refresh();
    askAll();
    neutral.soon();
  });
  const following = followEvents(bus, (event) => {
    const effect = applyEvent(event, facts, shown);
    const target = targetOf(event);
    if (!hasBegun || target === null) return;
    for (const page of all()) {
      const { config } = page.page();
      if (!(target.type === "monitor" ? config.monitors : config.agents).includes(target.id)) continue;
      if (effect.states) page.statesChanged();
      if (effect.page) page.contentChanged();
    }
    if (effect.facts) asking.soon();
  });
  const regularly = startLoop({
    work: "public pages",
    log,
    everyMs,
    run: () => {
      // A bucket that was emptied gets all of it again.
      published.forget();
      neutral.soon();
      askAll();
    },
  });
  begin.soon();

  return {
    memoryOf: (slug = defaultSlug) =>
      pages.get(slug)?.memory ?? { ...facts.ofPage(), earlier: nothingEarlier, incidents: [], maintenance: [] },
    published: (slug) =>
      Promise.race([published.publishOne(slug).catch(() => {}), sleep(publishedWithinMs, undefined, { ref: false })]),
    changed(slug) {
      if (!hasBegun) return access.soon();
      if (slug !== undefined) return saved.soon();
      for (const page of all()) page.contentChanged();
    },
    async stop() {
      stopped = true;
      void regularly.stop();
      cancelCounting();
      offReconnect();
      await following.stop();
      await Promise.all([begin, access, saved, asking, history, neutral].map((work) => work.stop()));
      await Promise.all(all().map((page) => page.stop()));
    },
  };
}
