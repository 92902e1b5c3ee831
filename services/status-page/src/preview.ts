import type { PageLanguage } from "@sonde/proto/http/status/documents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { StatusConfig, StatusConfigInput } from "@sonde/proto/http/status/config";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import type { Context } from "./context.ts";
import { composePage, type UnnumberedPage } from "./compose/snapshot.ts";
import { type Memory, statesIn, withFacts } from "./collect/facts.ts";
import { idsOf, shownTargets } from "./collect/targets.ts";
import type { Renderer } from "./render/renderer.ts";
import { mergeConfig } from "./pages/settings.ts";

/** Of targets that the page does not show yet. */
const askMs = 2_000;
const mostWaiting = 7;

type PreviewOptions = {
  memoryOf(slug?: string): Memory;
  maintenance: Pick<MaintenanceWatch, "at">;
  renderer: Pick<Renderer, "preview">;
};
/** Gzipped HTML of the page as a change of its configuration would make it. */
export type RenderPreview = (
  change: StatusConfigInput,
  /** `slug`: of the page that is changed, the default one without it; it is a new one where there is none. */
  of: { language: PageLanguage; slug?: string | undefined },
) => Promise<Uint8Array>;

/**
 * Renders the page that a change of the configuration would make, one at a time.
 * @throws AppError `invalid`, `impossible`, `too_many`, `unavailable`
 */
export function openPreviews(ctx: Context, { memoryOf, maintenance, renderer }: PreviewOptions): RenderPreview {
  const oneAtATime = createLimiter<"preview">({ total: 1, waiting: mostWaiting });
  return (change, { language, slug = defaultSlug }) =>
    oneAtATime.run("preview", async () => {
      const config = await mergeConfig(ctx, change, slug);
      const known = await withDays(ctx, memoryOf(slug), config);
      const shown = { slug, isPrivate: false, config };
      const page = await composePage(ctx, { memory: known, maintenance }, shown);
      const nowMs = ctx.clock.now();
      const states = { revision: 0, atMs: nowMs, ...statesIn(known, config, maintenance, nowMs) };
      const text = JSON.stringify(withFewerBars(page));
      return renderer.preview({ page: text, states, publicUrl: ctx.publicUrl, nowMs, slug, language });
    });
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
async function withDays(ctx: Context, memory: Memory, config: StatusConfig): Promise<Memory> {
  const known = await withFacts(ctx, memory, config, { timeoutMs: askMs });
  const unseen = shownTargets(config).filter((target) => memory.history.daysOf(target) === null);
  const isThere = ({ type, id }: TargetRef) =>
    (type === "monitor" ? known.monitors : known.agents).get(id) !== undefined;
  const missing = unseen.filter(isThere);
  const agents = new Map(idsOf(missing, "agent").map((id) => [id, known.agents.get(id)!]));
  // A preview without bars is better than none.
  await memory.history
    .refresh({ monitors: idsOf(missing, "monitor"), agents }, ctx.clock.now(), { timeoutMs: askMs })
    .catch(() => {});
  return known;
}
