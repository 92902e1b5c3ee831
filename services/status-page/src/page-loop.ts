import type { Bus } from "@sonde/kit/bus/connect";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { neutralKey } from "@sonde/proto/http/status/documents";
import { usualLanguages } from "@sonde/proto/http/status/languages";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";
import { applyEvent, followEvents, targetOf } from "./collect/events.ts";
import { queryTargets, isKnown, openFacts, type PageFacts, pageFacts } from "./collect/facts.ts";
import { idsOf, keyOf, shownTargets } from "./collect/targets.ts";
import type { Context } from "./context.ts";
import { pacedLoop } from "./paced-loop.ts";
import { openPage, type Page } from "./page.ts";
import { readPages } from "./pages/store.ts";
import { openAccess } from "./publish/access.ts";
import { packNeutral } from "./render/documents.ts";
import { figuresEveryMs, type Renderer } from "./render/renderer.ts";

export type PageLoop = Service & {
  /** Publishes a page, or all pages, within a second after a change. */
  changed(slug?: string): void;
  /** Resolves when the bucket has the page's access rules, or after two seconds. */
  published(slug: string): Promise<void>;
  /** Returns the facts of a page; for an unknown page, the facts of all pages. */
  factsOf(slug: string): PageFacts;
};

type LoopOptions = {
  bus: Bus;
  maintenance: MaintenanceWatch;
  renderer: Renderer;
  /** Interval of full queries; default a minute. */
  everyMs?: number;
};

/** By then metrics applies a changed window to the counted days. */
const recountAfterMs = 3_000;
const publishedWithinMs = 2_000;
const maxComposing = 3;

/**
 * Keeps all pages in the bucket `status` up to date, after each change and each minute, in four steps:
 *
 * 1. collect: the facts of all shown targets, queried once for all pages, and changed by events. If a service is
 *    unavailable, its last facts stay, or those published before this process started.
 * 2. compose: a page's states, and a snapshot of everything else.
 * 3. render: the snapshot's documents.
 * 4. publish: what changed.
 *
 * This file collects; `page.ts` does the other steps per page.
 */
export function startPages(ctx: Context, { bus, maintenance, renderer, everyMs = 60_000 }: LoopOptions): PageLoop {
  const { clock, log } = ctx;
  const facts = openFacts(ctx.sources);
  const access = openAccess({ bus, db: ctx.db, log });
  const composing = createLimiter<string>({ total: maxComposing, waiting: Infinity });
  const pages = new Map<string, Page>();
  let shown = new Map<string, TargetRef>();
  /** Number of full queries requested, and of those that were completed. */
  let [requests, answeredRequests] = [1, 0];
  let queriedAtMs: number | null = null;
  let othersEveryMs = 0;
  let stopped = false;
  let cancelRecount = () => {};

  /** Opens the stored pages. While the database is unavailable, known ones stay. */
  async function loadPages(): Promise<void> {
    const stored = await readPages(ctx.db, log).catch((error: unknown) => {
      if (pages.size === 0) throw error;
      log.debug({ err: error }, "reading pages failed");
    });
    if (stored === undefined) return;
    for (const [slug, page] of pages) {
      if (stored.some((one) => one.slug === slug)) continue;
      pages.delete(slug);
      void page.stop();
    }
    const targets = stored.flatMap(({ config }) => shownTargets(config));
    shown = new Map(targets.map((target) => [keyOf(target), target]));
    // The default page never waits for others, whose figures are rendered at most twice a minute.
    const rendered = stored.map(
      ({ config }) => (shownTargets(config).length * config.languages.length) / usualLanguages.length,
    );
    othersEveryMs = Math.max(figuresEveryMs(rendered.reduce((sum, count) => sum + count, 0)), everyMs / 2);
    for (const page of stored) {
      const known = pages.get(page.slug);
      if (known !== undefined) known.take(page);
      else if (!stopped) pages.set(page.slug, await openPage(ctx, page, shared));
    }
  }
  const shared = {
    bus,
    maintenance,
    renderer,
    facts,
    everyMs,
    composing,
    queriedAtMs: () => queriedAtMs,
    figuresEveryMs: (slug: string) => (slug === defaultSlug ? 0 : othersEveryMs),
    accessPublished: access.ensure,
    savedElsewhere: () => collecting.soon(),
  };

  // Collects all facts if requested, or if a page shows a new target.
  const collecting = pacedLoop(ctx, "facts", { delayMs: 20, everyMs: 1_000, retryMs: 2_000 }, async () => {
    await loadPages();
    const targets = [...shown.values()];
    const isComplete = targets.every((target) => isKnown(facts, target) && !lacksHistory(target));
    if (requests === answeredRequests && isComplete) return;
    const [nowMs, expected] = [clock.now(), requests];
    // If a service is unavailable, nothing is published: another replica may have newer facts.
    await queryTargets(facts, targets);
    answeredRequests = expected;
    queriedAtMs = nowMs;
    for (const page of pages.values()) page.factsQueried();
    if (targets.some(lacksHistory)) history.soon();
  });
  const lacksHistory = (target: TargetRef) => facts.history.daysOf(target) === null;
  const collect = () => {
    requests += 1;
    collecting.soon();
  };

  // Separate from states, because metrics takes seconds for many days.
  const history = pacedLoop(ctx, "history", { delayMs: 100, everyMs: 1_000, retryMs: 10_000 }, async () => {
    const targets = [...shown.values()];
    const agents = idsOf(targets, "agent").flatMap((id) => {
      const found = facts.agents.get(id);
      return found === undefined ? [] : [[id, found] as const];
    });
    await facts.history
      .refresh({ monitors: idsOf(targets, "monitor"), agents: new Map(agents) }, clock.now())
      .finally(() => facts.history.keep([...shown.values()]));
    for (const page of pages.values()) page.contentChanged();
  });

  const publishingAccess = pacedLoop(ctx, "access", { delayMs: 0, everyMs: 1_000, retryMs: 2_000 }, access.publish);

  let neutral: Uint8Array | undefined;
  const everything = startLoop({
    work: "public pages",
    log,
    clock,
    everyMs,
    retryMs: 5_000,
    run: async () => {
      // Refills the bucket if it was emptied.
      access.forget();
      publishingAccess.soon();
      collect();
      if (pages.size > 0) history.soon();
      neutral ??= packNeutral();
      await (await bus.kv(buckets.status)).put(neutralKey, neutral);
    },
  });
  everything.nudge(1);

  const refresh = () => {
    for (const page of pages.values()) page.refresh();
  };
  let hadWindows = false;
  maintenance.onChange(() => {
    refresh();
    const isChange = hadWindows;
    hadWindows ||= maintenance.isCurrent();
    if (stopped || !isChange) return;
    cancelRecount();
    cancelRecount = clock.setTimeout(() => {
      facts.history.forget();
      history.soon();
    }, recountAfterMs);
  });
  const offReconnect = bus.onReconnect(() => {
    access.forget();
    for (const page of pages.values()) page.forget();
    refresh();
    everything.nudge();
  });
  const following = followEvents(bus, (event) => {
    const target = targetOf(event);
    const effect = applyEvent(event, facts, (one) => shown.has(keyOf(one)));
    if (target === null) return;
    for (const page of pages.values()) {
      if (!page.shows(target)) continue;
      if (effect.states) page.statesChanged();
      if (effect.page) page.contentChanged();
    }
    if (effect.facts) collect();
  });

  return {
    factsOf: (slug) => pages.get(slug)?.facts ?? pageFacts(facts),
    published: (slug) =>
      Promise.race([access.publishOne(slug).catch(() => {}), sleep(publishedWithinMs, undefined, { ref: false })]),
    changed(slug) {
      if (slug === undefined) {
        for (const page of pages.values()) page.contentChanged();
        return;
      }
      publishingAccess.soon();
      pages.get(slug)?.refresh();
      collecting.soon();
    },
    async stop() {
      stopped = true;
      void everything.stop();
      cancelRecount();
      offReconnect();
      await following.stop();
      await Promise.all([collecting, history, publishingAccess].map((loop) => loop.stop()));
      await Promise.all([...pages.values()].map((page) => page.stop()));
    },
  };
}
