import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { StatusConfig, StatusConfigInput } from "@sonde/proto/http/status/config";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import type { Context } from "./context.ts";
import { isKnown, type PageFacts, withShownFacts } from "./collect/facts.ts";
import { idsOf, shownTargets } from "./collect/targets.ts";
import { composeSnapshot, type UnnumberedPage } from "./compose/snapshot.ts";
import { composeStates } from "./compose/states.ts";
import type { Renderer } from "./render/renderer.ts";
import { previewChange } from "./pages/settings.ts";

/** For facts of targets that the page does not show yet. */
const queryTimeoutMs = 2_000;
const maxWaiting = 7;

type PreviewOptions = {
  factsOf(slug: string): PageFacts;
  maintenance: Pick<MaintenanceWatch, "at">;
  renderer: Pick<Renderer, "preview">;
};
export type RenderPreview = (
  change: StatusConfigInput,
  /** `slug` defaults to the default page; an unknown slug previews a new page. */
  of: { language: PageLanguage; slug?: string | undefined },
) => Promise<Uint8Array>;

/** Renders previews one at a time. @throws AppError `invalid`, `impossible`, `too_many`, `unavailable` */
export function openPreviews(ctx: Context, { factsOf, maintenance, renderer }: PreviewOptions): RenderPreview {
  const oneAtATime = createLimiter<"preview">({ total: 1, waiting: maxWaiting });
  return (change, { language, slug = defaultSlug }) =>
    oneAtATime.run("preview", async () => {
      const config = await previewChange(ctx, change, slug);
      const known = await withDays(ctx, factsOf(slug), config);
      const page = await composeSnapshot(ctx, known, maintenance, { slug, isPrivate: false, config });
      const nowMs = ctx.clock.now();
      const states = { revision: 0, atMs: nowMs, ...composeStates(known, config, maintenance, nowMs) };
      const text = JSON.stringify(withFewerBars(page));
      return renderer.preview({ page: text, states, publicUrl: ctx.publicUrl, nowMs, slug, language });
    });
}

/** With more bars a document would be megabytes for each keystroke. */
const maxBars = 100;

function withFewerBars(page: UnnumberedPage): UnnumberedPage {
  const barless = <Target extends { days: unknown[] }>(targets: readonly Target[], from: number): Target[] =>
    targets.map((target, at) => (at < from ? target : { ...target, days: [] }));
  return {
    ...page,
    monitors: barless(page.monitors, maxBars),
    agents: barless(page.agents, maxBars - page.monitors.length),
  };
}

async function withDays(ctx: Context, known: PageFacts, config: StatusConfig): Promise<PageFacts> {
  const facts = await withShownFacts(ctx, known, config, { timeoutMs: queryTimeoutMs });
  const missing = shownTargets(config).filter(
    (target) => known.history.daysOf(target) === null && isKnown(facts, target),
  );
  const agents = new Map(idsOf(missing, "agent").map((id) => [id, facts.agents.get(id)!]));
  // A preview without bars is better than none.
  await known.history
    .refresh({ monitors: idsOf(missing, "monitor"), agents }, ctx.clock.now(), { timeoutMs: queryTimeoutMs })
    .catch(() => {});
  return facts;
}
