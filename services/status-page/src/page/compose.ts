import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { publicIncidents } from "../announcements/public-incidents.ts";
import type { Context } from "../context.ts";
import { publicMaintenance } from "../maintenance/public.ts";
import { type Memory, namesIn, stillShown } from "./memory.ts";
import { shownTargets } from "./shown.ts";
import { buildPage, type UnnumberedPage } from "./snapshot.ts";

/** The page of a configuration, from known facts. Lists that cannot be read stay as they were. */
export async function composePage(
  ctx: Context,
  { memory, maintenance: windows }: { memory: Memory; maintenance: Pick<MaintenanceWatch, "at"> },
  config: StatusConfig,
): Promise<UnnumberedPage> {
  const nowMs = ctx.clock.now();
  const names = namesIn(memory, config);
  const before =
    <Entry>(entries: readonly Entry[]) =>
    (error: unknown) => {
      ctx.log.warn({ err: error }, "what the page lists cannot be read; it stays as it was");
      return [...entries];
    };
  const shown = shownTargets(config);
  const [incidents, maintenance] = await Promise.all([
    publicIncidents(ctx, { shown, names, config, maintenance: windows, nowMs, last: memory.incidents }).catch(
      (error: unknown) => stillShown(before(memory.incidents)(error), names),
    ),
    publicMaintenance(ctx, shown, names, nowMs).catch((error: unknown) =>
      stillShown(before(memory.maintenance)(error), names),
    ),
  ]);
  const { history, monitors, earlier } = memory;
  return buildPage({
    config,
    nowMs,
    names,
    daysOf: history.daysOf,
    responseTimeOf: (id) => {
      const facts = monitors.get(id);
      return facts === undefined ? (earlier.responseTimes.get(id) ?? null) : facts.responseTimeMs;
    },
    responseTimesOf: history.responseTimesOf,
    incidents,
    maintenance,
    canMail: ctx.publicUrl !== null,
  });
}
