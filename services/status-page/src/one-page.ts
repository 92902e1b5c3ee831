import type { Bus } from "@sonde/kit/bus/connect";
import type { Limiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import { isPrivate } from "@sonde/proto/http/status/access";
import { pageKey, statesKey } from "@sonde/proto/http/status/snapshot";
import type { Context } from "./context.ts";
import { originOf } from "./pages/pages.ts";
import { readPage, type StoredPage } from "./pages/store.ts";
import {
  type Memory,
  nextBoundaryMs,
  nothingEarlier,
  readEarlier,
  type SharedFacts,
  statesIn,
} from "./collect/facts.ts";
import { bucketValue, openPublisher, putFitting } from "./publish/documents.ts";
import type { Renderer } from "./render/renderer.ts";
import { composePage, type UnnumberedPage } from "./compose/snapshot.ts";
import { shownTargets } from "./collect/targets.ts";
import { turnsBy } from "./paced-loop.ts";

/** One page of several, made from the facts of all. */
export type PageLoop = {
  readonly memory: Memory;
  readonly page: () => StoredPage;
  /** What is stored of it now; if that differs, it is made again. Returns whether it does. */
  take(stored: StoredPage): boolean;
  /** Reads what was published before this process started; then it publishes. */
  begin(): Promise<void>;
  /** States and snapshot are made again soon. */
  refresh(): void;
  statesChanged(): void;
  contentChanged(): void;
  /** All facts were asked for: what was published before counts no more. */
  asked(): void;
  /** The bucket may have lost its values. */
  forget(): void;
  stop(): Promise<void>;
};

type PageOptions = {
  bus: Bus;
  maintenance: MaintenanceWatch;
  renderer: Renderer;
  facts: SharedFacts;
  everyMs: number;
  /** Pages take turns: each asks for its incidents, and fills the database's connections. */
  composing: Limiter<string>;
  /** How often documents are rendered of which figures and times alone changed. */
  figuresEveryMs(): number;
  /** Resolves once gateways know who may read it. */
  withAccess(): Promise<void>;
  /** It was saved meanwhile, here or by another replica: it may show targets that no page showed before. */
  onSaved(): void;
};

export function openPage(ctx: Context, stored: StoredPage, options: PageOptions): PageLoop {
  const { bus, maintenance, renderer, facts, everyMs, composing, figuresEveryMs, withAccess, onSaved } = options;
  const { clock, log } = ctx;
  const { slug } = stored;
  let page = stored;
  const memory: Memory = { ...facts.ofPage(), earlier: nothingEarlier, incidents: [], maintenance: [] };
  const pageValue = bucketValue(bus, pageKey(slug), clock);
  const statesValue = bucketValue(bus, statesKey(slug), clock);
  const publisher = openPublisher({ bus, clock, log, renderer, slug });
  let hasBegun = false;
  let stopped = false;
  let cancelBoundary = () => {};
  /** What documents were rendered for, but for figures and times. */
  let [lastStates, lastContent, renderedAtMs] = ["", "", Number.NEGATIVE_INFINITY];
  const turns = turnsBy(ctx);

  /** Without the database the page keeps its last configuration. Whether it is still there. */
  const reload = async (): Promise<boolean> => {
    const isThere = await readAgain();
    // A gateway that knows nothing of its access takes it for a public one.
    if (isThere && isPrivate(page.access)) await withAccess();
    return isThere;
  };
  const readAgain = async (): Promise<boolean> => {
    try {
      const found = await readPage(ctx.db, log, slug);
      if (found === undefined) return false;
      if (loop.take(found)) onSaved();
      return !stopped;
    } catch (error) {
      log.debug({ err: error }, "no configuration read");
      return !stopped;
    }
  };

  const presentStates = turns("states", { delayMs: 20, everyMs: 20, retryMs: 1_000 }, async () => {
    if (!maintenance.isCurrent() || !(await reload())) return;
    const { config } = page;
    const nowMs = clock.now();
    const isEmpty = shownTargets(config).length === 0;
    const atMs = isEmpty ? nowMs : (facts.heardAtMs() ?? memory.earlier.states?.atMs ?? 0);
    const states = { atMs, ...statesIn(memory, config, maintenance, nowMs) };
    await statesValue.put(JSON.stringify(states));
    publisher.states = { revision: 0, ...states };
    const text = JSON.stringify({ ...states, atMs: atMs === 0 });
    if (text !== lastStates || figuresEveryMs() === 0) documents.soon();
    lastStates = text;
    setBoundary(nowMs);
  });

  const snapshot = turns("page", { delayMs: 200, everyMs: 700, retryMs: 2_000 }, () =>
    composing.run(slug, async () => {
      if (!(await reload())) return;
      const shown = { slug, isPrivate: isPrivate(page.access), config: page.config };
      const made = await composePage(ctx, { memory, maintenance }, shown);
      [memory.incidents, memory.maintenance] = [made.incidents, made.maintenance];
      publisher.origin = originOf(page, ctx.publicUrl);
      publisher.page = (await putFitting(pageValue, made, log)) ?? publisher.page;
      const content = withoutFigures(made, publisher.origin);
      const isDue = clock.elapsedMs() - renderedAtMs >= figuresEveryMs();
      if (content === lastContent && !isDue) return;
      [lastContent, renderedAtMs] = [content, clock.elapsedMs()];
      documents.soon();
    }),
  );

  // Rendering a large page takes a second of processor time, so simultaneous changes are rendered together.
  const documents = turns("documents", { delayMs: 20, everyMs: 1_000, retryMs: 10_000 }, () =>
    stopped ? Promise.resolve() : publisher.publish(),
  );

  /** What begins or ends within the next minute gets a timer of its own; later ones are found by then. */
  const setBoundary = (nowMs: number) => {
    cancelBoundary();
    const nextMs = nextBoundaryMs(page.config, maintenance, nowMs);
    if (stopped || nextMs === null || nextMs - nowMs > 2 * everyMs) return;
    cancelBoundary = clock.setTimeout(loop.refresh, nextMs - nowMs);
  };
  const loop: PageLoop = {
    memory,
    page: () => page,
    take(found) {
      const isNew = found.updatedAtMs !== page.updatedAtMs || found.revision !== page.revision;
      page = found;
      if (isNew) loop.refresh();
      return isNew;
    },
    async begin() {
      const [text, states] = await Promise.all([pageValue.read(), statesValue.read()]);
      memory.earlier = readEarlier({ page: text, states }, memory, log);
      [memory.incidents, memory.maintenance] = [memory.earlier.incidents, memory.earlier.maintenance];
      hasBegun = true;
      loop.refresh();
    },
    refresh() {
      loop.statesChanged();
      loop.contentChanged();
    },
    statesChanged: () => void (hasBegun && !stopped && presentStates.soon()),
    contentChanged: () => void (hasBegun && !stopped && snapshot.soon()),
    asked() {
      memory.earlier = nothingEarlier;
      loop.refresh();
    },
    forget() {
      publisher.forget();
      renderedAtMs = Number.NEGATIVE_INFINITY;
    },
    async stop() {
      stopped = true;
      cancelBoundary();
      await Promise.all([presentStates, snapshot, documents].map((work) => work.stop()));
    },
  };
  return loop;
}

/** What a reader should see at once when it changes. */
function withoutFigures(
  { builtAtMs: _builtAtMs, monitors, agents, ...rest }: UnnumberedPage,
  origin: string | null,
): string {
  const named = (targets: readonly { id: number; name: string; days: readonly unknown[] }[]) =>
    targets.map(({ id, name, days }) => [id, name, days.length]);
  return JSON.stringify([origin, rest, named(monitors), named(agents)]);
}
