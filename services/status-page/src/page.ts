import type { Bus } from "@sonde/kit/bus/connect";
import type { Limiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { isPrivate } from "@sonde/proto/http/status/access";
import { pageKey, type PageStates, statesKey } from "@sonde/proto/http/status/snapshot";
import { nothingEarlier, readEarlier } from "./collect/earlier.ts";
import { type Facts, type PageFacts, pageFacts } from "./collect/facts.ts";
import { shownTargets } from "./collect/targets.ts";
import { composeSnapshot, type UnnumberedPage } from "./compose/snapshot.ts";
import { composeStates, nextBoundaryMs } from "./compose/states.ts";
import type { Context } from "./context.ts";
import { pacedLoop } from "./paced-loop.ts";
import { imagesOf, loadImages } from "./pages/images.ts";
import { pageOrigin } from "./pages/pages.ts";
import { loadPage, type StoredPage } from "./pages/store.ts";
import { openDocuments } from "./publish/documents.ts";
import { putFitting, putValue, readValue } from "./publish/values.ts";
import { type PackedPart, packImages } from "./render/documents.ts";
import type { Renderer } from "./render/renderer.ts";

export type Page = {
  readonly facts: PageFacts;
  shows(target: TargetRef): boolean;
  /** Applies the stored page; a new one is published completely. */
  take(stored: StoredPage): void;
  refresh(): void;
  statesChanged(): void;
  contentChanged(): void;
  /** All facts were queried, so earlier published values no longer count. */
  factsQueried(): void;
  /** The bucket may have lost its values. */
  forget(): void;
  stop(): Promise<void>;
};

type PageOptions = {
  bus: Bus;
  maintenance: MaintenanceWatch;
  renderer: Renderer;
  facts: Facts;
  everyMs: number;
  /** Limits how many pages query incidents and the database at once. */
  composing: Limiter<string>;
  /** When all facts were last queried; `null` before. */
  queriedAtMs(): number | null;
  /** Minimum interval of rendering if only figures and times changed. */
  figuresEveryMs(slug: string): number;
  /** Resolves when the bucket has the page's access rules. */
  accessPublished(slug: string): Promise<void>;
  /** Another replica saved the page, which may show new targets. */
  savedElsewhere(): void;
};

/** Reads what the bucket has of a page, and publishes the page until stopped. @throws while the bus is disconnected */
export async function openPage(ctx: Context, stored: StoredPage, options: PageOptions): Promise<Page> {
  const { bus, maintenance, renderer, everyMs, composing, figuresEveryMs } = options;
  const { clock, log } = ctx;
  const { slug } = stored;
  const documents = openDocuments({ bus, clock, log }, slug);
  const earlier = { page: await readValue(bus, pageKey(slug)), states: await readValue(bus, statesKey(slug)) };
  const facts = pageFacts(options.facts, readEarlier(earlier, log));
  let page = stored;
  let states: PageStates | null = null;
  let snapshot: string | null = null;
  /** Number of content changes, and of those that the snapshot includes. */
  let [changes, composedChanges] = [1, 0];
  /** Content without figures and times: of the snapshot, and of the last rendered documents. */
  let [content, rendered] = ["", ""];
  let renderedAtMs = Number.NEGATIVE_INFINITY;
  let cancelBoundary = () => {};
  let stopped = false;

  const publishingStates = pacedLoop(ctx, "states", { delayMs: 20, everyMs: 20, retryMs: 1_000 }, async () => {
    if (!maintenance.isCurrent() || !(await reload())) return;
    const nowMs = clock.now();
    const isEmpty = shownTargets(page.config).length === 0;
    const atMs = isEmpty ? nowMs : (options.queriedAtMs() ?? facts.earlier.states?.atMs ?? 0);
    const composed = { revision: nowMs, atMs, ...composeStates(facts, page.config, maintenance, nowMs) };
    await putValue(bus, statesKey(slug), JSON.stringify(composed));
    states = composed;
    publishingDocuments.soon();
    setBoundary(nowMs);
  });

  // Rendering a large page takes a second of CPU time, so simultaneous changes are rendered together.
  const publishingDocuments = pacedLoop(ctx, "documents", { delayMs: 20, everyMs: 1_000, retryMs: 5_000 }, async () => {
    if (!(await reload())) return;
    const publicUrl = pageOrigin(page, ctx.publicUrl);

    const expected = changes;
    if (composedChanges !== expected) {
      const shown = { slug, isPrivate: isPrivate(page.access), config: page.config };
      const composed = await composing.run(slug, () => composeSnapshot(ctx, facts, maintenance, shown));
      [facts.incidents, facts.maintenance] = [composed.incidents, composed.maintenance];
      snapshot = (await putFitting((text) => putValue(bus, pageKey(slug), text), composed, log)) ?? snapshot;
      [content, composedChanges] = [withoutFigures(composed), expected];
    }
    if (states === null || snapshot === null) return;
    const { monitors, agents, atMs } = states;
    const toRender = JSON.stringify([publicUrl, content, monitors, agents, atMs === 0]);
    if (toRender === rendered && clock.elapsedMs() - renderedAtMs < figuresEveryMs(slug)) return;

    const written = documents.written();
    const images = await newImages(written.images ?? "");
    const beganMs = clock.elapsedMs();
    const parts = await renderer.parts({ slug, page: snapshot, states, publicUrl, nowMs: clock.now(), written });

    if (stopped) return;
    await documents.put([...images, ...parts], written);
    [rendered, renderedAtMs] = [toRender, beganMs];
  });

  async function newImages(published: string): Promise<PackedPart[]> {
    const ids = imagesOf(page.config);
    const hash = ids.join(" ");
    if (hash === published) return [];
    try {
      return [{ part: "images", hash, bytes: packImages(await loadImages(ctx.db, ids)) }];
    } catch (error) {
      log.debug({ err: error }, "reading the images failed; keeping the published ones");
      return [];
    }
  }

  /** Reloads the page, which another replica may have saved. Returns whether it still exists. */
  async function reload(): Promise<boolean> {
    try {
      const found = await loadPage(ctx.db, log, slug);
      if (found === undefined) return false;
      if (take(found)) options.savedElsewhere();
    } catch (error) {
      log.debug({ err: error }, "reading the page failed; keeping its last settings");
    }
    // Gateways treat a page as public until they have its access rules.
    if (isPrivate(page.access)) await options.accessPublished(slug);
    return !stopped;
  }
  function take(found: StoredPage): boolean {
    const isNew = found.updatedAtMs !== page.updatedAtMs || found.revision !== page.revision;
    page = found;
    if (isNew) refresh();
    return isNew;
  }
  function contentChanged(): void {
    changes += 1;
    publishingDocuments.soon();
  }
  function refresh(): void {
    publishingStates.soon();
    contentChanged();
  }
  /** Sets a timer for maintenance that begins or ends before the next full round. */
  function setBoundary(nowMs: number): void {
    cancelBoundary();
    const nextMs = nextBoundaryMs(page.config, maintenance, nowMs);
    if (stopped || nextMs === null || nextMs - nowMs > 2 * everyMs) return;
    cancelBoundary = clock.setTimeout(refresh, nextMs - nowMs);
  }

  refresh();
  return {
    facts,
    shows: ({ type, id }) => (type === "monitor" ? page.config.monitors : page.config.agents).includes(id),
    take: (found) => void take(found),
    refresh,
    statesChanged: publishingStates.soon,
    contentChanged,
    factsQueried() {
      facts.earlier = { ...nothingEarlier, bars: facts.earlier.bars };
      refresh();
    },
    forget() {
      documents.forget();
      renderedAtMs = Number.NEGATIVE_INFINITY;
    },
    async stop() {
      stopped = true;
      cancelBoundary();
      await Promise.all([publishingStates.stop(), publishingDocuments.stop()]);
    },
  };
}

function withoutFigures({ builtAtMs: _builtAtMs, monitors, agents, ...rest }: UnnumberedPage): string {
  const named = (targets: readonly { id: number; name: string; days: readonly unknown[] }[]) =>
    targets.map(({ id, name, days }) => [id, name, days.length]);
  return JSON.stringify([rest, named(monitors), named(agents)]);
}
