import type { PageLanguage } from "@sonde/proto/http/status/documents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import { AppError } from "@sonde/kit/errors";
import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { StatusConfig, StatusConfigInput } from "@sonde/proto/http/status/config";
import type { Context } from "../context.ts";
import { composePage, type UnnumberedPage } from "./snapshot.ts";
import { writeLines } from "./json-lines.ts";
import { type Memory, statesIn } from "./memory.ts";
import { shownTargets } from "./shown.ts";
import type { Renderer } from "./render/renderer.ts";
import { askAgents, askMonitors } from "./sources.ts";
import { mergeConfig } from "./config/update.ts";

/** Of targets that the page does not show yet. */
const askMs = 2_000;
const mostWaiting = 8;

type PreviewOptions = {
  memory: Memory;
  maintenance: Pick<MaintenanceWatch, "at">;
  renderer: Pick<Renderer, "preview">;
};
/** Gzipped HTML of the page as a change of its configuration would make it. */
export type RenderPreview = (change: StatusConfigInput, language: PageLanguage) => Promise<Uint8Array>;

/**
 * Renders the page that a change of the configuration would make, one at a time.
 * @throws AppError `invalid`, `impossible`, `too_many`, `unavailable`
 */
export function openPreviews(ctx: Context, { memory, maintenance, renderer }: PreviewOptions): RenderPreview {
  const oneAtATime = createQueue();
  let waiting = 0;
  return async (change, language) => {
    if (waiting >= mostWaiting) {
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 2 });
    }
    waiting += 1;
    try {
      return await oneAtATime(async () => {
        const config = await mergeConfig(ctx, change);
        const known = await withFacts(ctx, memory, config);
        const page = await composePage(ctx, { memory: known, maintenance }, config);
        const nowMs = ctx.clock.now();
        const states = { revision: 0, atMs: nowMs, ...statesIn(known, config, maintenance, nowMs) };
        const text = await writeLines(withFewerBars(page));
        return renderer.preview({ page: text, states, publicUrl: ctx.publicUrl, nowMs, language });
      });
    } finally {
      waiting -= 1;
    }
  };
}

/** A document of more bars would be some megabytes, at each key that is typed. */
const mostBars = 100;

function withFewerBars(page: UnnumberedPage): UnnumberedPage {
  const barless = <Target extends { days: unknown[] }>(targets: readonly Target[], from: number): Target[] =>
    targets.map((target, at) => (at < from ? target : { ...target, days: [] }));
  return {
    ...page,
    monitors: barless(page.monitors, mostBars),
    agents: barless(page.agents, mostBars - page.monitors.length),
  };
}

/** The known facts, and those of targets that the page did not need so far. */
async function withFacts(ctx: Context, memory: Memory, config: StatusConfig): Promise<Memory> {
  const isKnown = ({ type, id }: TargetRef) =>
    (type === "monitor" ? memory.monitors : memory.agents).get(id) !== undefined;
  const missing = shownTargets(config).filter((target) => !isKnown(target));
  const idsOf = (wanted: TargetRef["type"]) => missing.flatMap(({ type, id }) => (type === wanted ? [id] : []));
  const [monitors, agents] = await Promise.all([
    askMonitors(ctx.sources, idsOf("monitor"), askMs),
    askAgents(ctx.sources, idsOf("agent"), askMs),
  ]);
  const asked = {
    monitors: idsOf("monitor").filter((id) => monitors.has(id) && needsDays(memory, { type: "monitor", id })),
    agents: new Map([...agents].filter(([id]) => needsDays(memory, { type: "agent", id }))),
  };
  // A preview without bars is better than none.
  await memory.history.refresh(asked, ctx.clock.now(), { timeoutMs: askMs }).catch(() => {});
  return {
    ...memory,
    monitors: { ...memory.monitors, get: (id) => memory.monitors.get(id) ?? monitors.get(id) },
    agents: { ...memory.agents, get: (id) => memory.agents.get(id) ?? agents.get(id) },
  };
}

const needsDays = ({ history }: Memory, target: TargetRef) => history.daysOf(target) === null;
