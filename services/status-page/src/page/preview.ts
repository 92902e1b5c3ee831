import { createQueue } from "@sonde/kit/concurrency/limiter";
import { AppError } from "@sonde/kit/errors";
import type { Maintenance } from "@sonde/kit/maintenance/watch";
import type { StatusConfig } from "@sonde/proto/http/status-config";
import type { Context } from "../context.ts";
import { composePage } from "./compose.ts";
import { pack, writeLines } from "./json-lines.ts";
import { type Memory, statesIn } from "./memory.ts";
import { shownTargets, type TargetRef } from "./shown.ts";
import type { UnnumberedPage } from "./snapshot.ts";
import { askAgents, askMonitors } from "./sources.ts";
import { mergeConfig } from "./update-config.ts";

/** Of what the page does not show yet. */
const askMs = 2_000;
const mostWaiting = 8;

export type Previews = (text: string) => Promise<{ page: Uint8Array; states: Uint8Array }>;

/**
 * Makes the snapshot that a change of the configuration would make, one at a time.
 * @throws AppError `invalid`, `impossible`, `too_many`, `unavailable`
 */
export function openPreviews(
  ctx: Context,
  { memory, maintenance }: { memory: Memory; maintenance: Pick<Maintenance, "at"> },
): Previews {
  const oneAtATime = createQueue();
  let waiting = 0;
  return async (text) => {
    if (waiting >= mostWaiting) {
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 2 });
    }
    waiting += 1;
    try {
      return await oneAtATime(async () => {
        const config = await mergeConfig(ctx, text);
        const known = await withFacts(ctx, memory, config);
        const page = await composePage(ctx, { memory: known, maintenance }, config);
        const states = statesIn(known, config, maintenance, ctx.clock.now());
        const numbered = { revision: 1, ...withFewerBars(page) };
        return {
          page: await pack(await writeLines(numbered)),
          states: await pack(JSON.stringify({ revision: 1, atMs: ctx.clock.now(), ...states })),
        };
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

/** What is known, and beside it what the page did not need so far. */
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
  // A preview without bars says more than none.
  await memory.history.refresh(asked, ctx.clock.now(), { timeoutMs: askMs }).catch(() => {});
  return {
    ...memory,
    monitors: { ...memory.monitors, get: (id) => memory.monitors.get(id) ?? monitors.get(id) },
    agents: { ...memory.agents, get: (id) => memory.agents.get(id) ?? agents.get(id) },
  };
}

const needsDays = ({ history }: Memory, target: TargetRef) => history.daysOf(target) === null;
