import type { Bus } from "@sonde/kit/bus/connect";
import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import { defaultSlug, pageKey, statesKey } from "@sonde/proto/http/status/snapshot";
import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../context.ts";
import { openAccess } from "../pages/publish-access.ts";
import { applyEvent, followEvents } from "./events.ts";
import { bucketValue, putFitting, openPublisher } from "./publish.ts";
import { composePage } from "./snapshot.ts";
import { readConfig } from "./settings.ts";
import { readEarlier, type Memory, nextBoundaryMs, nothingEarlier, openMemory, statesIn } from "./memory.ts";
import { shownTargets } from "./targets.ts";
import type { Renderer } from "./render/renderer.ts";

/** The published public page. */
export type LivePage = Service & {
  /** Its content changed: it is rendered again within a second. */
  changed(): void;
  /** Resolves once the bucket has who may read which page, and after two seconds in any case. */
  published(): Promise<void>;
  memory: Memory;
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

/**
 * Keeps snapshot, states and documents of the page in the bucket `status`: after each change, and each minute. Facts of
 * services that do not answer stay as last known, or as published before this process started.
 */
export function startPage(ctx: Context, options: LiveOptions): LivePage {
  const { bus, maintenance, renderer, everyMs = minuteMs } = options;
  const { clock, log } = ctx;
  const memory = openMemory(ctx.sources);
  const pageValue = bucketValue(bus, pageKey(defaultSlug), clock);
  const statesValue = bucketValue(bus, statesKey(defaultSlug), clock);
  let config: StatusConfig = defaultStatusConfig;
  let savedAtMs: number | null = null;
  /** The configuration whose targets were queried last. */
  let askedFor: number | null | undefined;
  const publisher = openPublisher({ bus, clock, log, renderer, publicUrl: ctx.publicUrl });
  let stopped = false;
  let cancelBoundary = () => {};
  let cancelCounting = () => {};

  const loadConfig = async () => {
    const stored = await readConfig(ctx.db, log);
    [config, savedAtMs] = [stored.config, stored.updatedAtMs];
  };
  /** Without the database the page keeps its last configuration. */
  const tryConfig = () => loadConfig().catch((error: unknown) => log.debug({ err: error }, "no configuration read"));
  const turns = (
    work: string,
    delays: Pick<TurnsOptions, "delayMs" | "everyMs" | "retryMs">,
    run: () => Promise<void>,
  ) => openTurns({ clock, log, work, ...delays, run });

  const published = openAccess({ bus, db: ctx.db, log });
  const access = turns("access", { delayMs: 0, everyMs: 20, retryMs: 2_000 }, published.publish);

  const begin = turns("begin", { delayMs: 0, everyMs: 0, retryMs: 1_000 }, async () => {
    const [page, states] = await Promise.all([pageValue.read(), statesValue.read()]);
    memory.earlier = readEarlier({ page, states }, memory, log);
    [memory.incidents, memory.maintenance] = [memory.earlier.incidents, memory.earlier.maintenance];
    await loadConfig();
    hasBegun = true;
    for (const turn of [presentStates, snapshot, facts, history]) turn.soon();
  });
  let hasBegun = false;

  const facts = turns("facts", { delayMs: 20, everyMs: 1_000, retryMs: 5_000 }, async () => {
    await tryConfig();
    askedFor = savedAtMs;
    const askedAtMs = clock.now();
    const known = shownTargets(config).filter((target) => memory.history.daysOf(target) !== null).length;
    const asked = [memory.monitors.ask(config.monitors), memory.agents.ask(config.agents)];
    // Nothing is published while one of them is unavailable: another replica may have newer facts.
    for (const answer of await Promise.allSettled(asked)) if (answer.status === "rejected") throw answer.reason;
    memory.heardAtMs = askedAtMs;
    memory.earlier = nothingEarlier;
    presentStates.soon();
    snapshot.soon();
    if (known < shownTargets(config).length) history.soon();
  });

  const history = turns("history", { delayMs: 100, everyMs: 1_000, retryMs: 10_000 }, async () => {
    const agents = config.agents.flatMap((id) => {
      const known = memory.agents.get(id);
      return known === undefined ? [] : [[id, known] as const];
    });
    await memory.history
      .refresh({ monitors: config.monitors, agents: new Map(agents) }, clock.now())
      .finally(() => memory.history.keep(shownTargets(config)));
    snapshot.soon();
  });

  const presentStates = turns("states", { delayMs: 20, everyMs: 20, retryMs: 1_000 }, async () => {
    if (!maintenance.isCurrent()) return;
    await tryConfig();
    if (askedFor !== savedAtMs) facts.soon();
    const nowMs = clock.now();
    const isEmpty = shownTargets(config).length === 0;
    const atMs = isEmpty ? nowMs : (memory.heardAtMs ?? memory.earlier.states?.atMs ?? 0);
    const states = { atMs, ...statesIn(memory, config, maintenance, nowMs) };
    await statesValue.put(JSON.stringify(states));
    publisher.states = { revision: 0, ...states };
    documents.soon();
    setBoundary(nowMs);
  });

  const snapshot = turns("page", { delayMs: 200, everyMs: 700, retryMs: 2_000 }, async () => {
    await tryConfig();
    const page = await composePage(ctx, { memory, maintenance }, config);
    [memory.incidents, memory.maintenance] = [page.incidents, page.maintenance];
    publisher.page = (await putFitting(pageValue, page, log)) ?? publisher.page;
    documents.soon();
  });

  // Rendering a large page takes a second of processor time, so simultaneous changes are rendered together.
  const documents = turns("documents", { delayMs: 20, everyMs: 1_000, retryMs: 10_000 }, publisher.publish);

  /** What begins or ends within the next minute gets a timer of its own; later ones are found by then. */
  const setBoundary = (nowMs: number) => {
    cancelBoundary();
    const nextMs = nextBoundaryMs(config, maintenance, nowMs);
    if (stopped || nextMs === null || nextMs - nowMs > 2 * everyMs) return;
    cancelBoundary = clock.setTimeout(refresh, nextMs - nowMs);
  };
  const refresh = () => {
    if (!hasBegun) return;
    presentStates.soon();
    snapshot.soon();
  };
  let windowsRead = false;
  maintenance.onChange(() => {
    refresh();
    const isNew = windowsRead;
    windowsRead ||= maintenance.isCurrent();
    if (stopped || !isNew) return;
    cancelCounting();
    cancelCounting = clock.setTimeout(() => {
      memory.history.forget();
      history.soon();
    }, countedAnewMs);
  });
  const askAll = () => {
    access.soon();
    if (!hasBegun) return begin.soon();
    facts.soon();
    history.soon();
  };
  const offReconnect = bus.onReconnect(() => {
    publisher.forget();
    published.forget();
    refresh();
    askAll();
  });
  const following = followEvents(bus, (event) => {
    const effect = applyEvent(event, memory, config);
    if (!hasBegun) return;
    if (effect.states) presentStates.soon();
    if (effect.page) snapshot.soon();
    if (effect.facts) facts.soon();
  });
  const asking = startLoop({ work: "public page", log, everyMs, run: askAll });
  begin.soon();

  return {
    memory,
    published: () =>
      Promise.race([published.publish().catch(() => {}), sleep(publishedWithinMs, undefined, { ref: false })]),
    changed() {
      access.soon();
      if (!hasBegun) return;
      facts.soon();
      snapshot.soon();
    },
    async stop() {
      stopped = true;
      void asking.stop();
      cancelBoundary();
      cancelCounting();
      offReconnect();
      await following.stop();
      await Promise.all(
        [begin, access, facts, history, presentStates, snapshot, documents].map((work: Turns) => work.stop()),
      );
    },
  };
}

/** Work that is requested often and done once for all concurrent requests. */
type Turns = {
  /** Runs soon; if requested while it runs, it runs once more. */
  soon(): void;
  /** Starts no more runs, and waits briefly for the current one. */
  stop(): Promise<void>;
};

type TurnsOptions = {
  clock: TimerClock;
  log: Pick<Log, "info" | "warn">;
  /** For the log. */
  work: string;
  /** From the first request to its run: requests meanwhile are done with it. */
  delayMs: number;
  /** From one beginning to the next, at least. */
  everyMs: number;
  /** After a failure it is tried again, so much later. */
  retryMs: number;
  run(): Promise<void>;
};

const publishedWithinMs = 2_000;

/** A slow service may take twenty seconds to answer. */
const waitMs = 1_000;

export function openTurns({ clock, log, work, delayMs, everyMs, retryMs, run }: TurnsOptions): Turns {
  let beganMs = Number.NEGATIVE_INFINITY;
  const begin = () => {
    beganMs = clock.elapsedMs();
    return run();
  };
  const onlyNudged = Number.POSITIVE_INFINITY;
  const loop = startLoop({ work: `public page: ${work}`, log, clock, everyMs: onlyNudged, retryMs, run: begin });
  return {
    // At least one millisecond: no run begins inside its caller.
    soon: () => loop.nudge(Math.max(1, delayMs, beganMs + everyMs - clock.elapsedMs())),
    stop: () => Promise.race([loop.stop(), sleep(waitMs, undefined, { ref: false })]),
  };
}
