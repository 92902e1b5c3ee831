import { slices } from "@sonde/kit/concurrency/slices";
import type { PageSources } from "../context.ts";

/** From an instant up to another, epoch milliseconds. */
type Span = { fromMs: number; toMs: number };

const atOnce = 400;
const mostPages = 25;

/**
 * When these agents were offline since an instant, oldest first: their offline incidents. One that is open ends now. Of
 * more than ten thousand incidents the newest count.
 * @throws AppError `unavailable`
 */
export async function askOffline(
  { incidents }: Pick<PageSources, "incidents">,
  agentIds: ReadonlySet<number>,
  sinceMs: number,
  nowMs: number,
): Promise<Map<number, Span[]>> {
  const spans = new Map<number, Span[]>();
  const pause = slices();
  // An open incident counts as the last to close, so open ones come first.
  const filter = { kind: "offline", sort: "-closedAt", targetIds: [...agentIds] } as const;
  let after = "";
  for (let page = 0; page < mostPages && agentIds.size > 0; page++) {
    const answer = await incidents.listIncidents(
      { filter, after, limit: atOnce, uncounted: true },
      { scope: "agents" },
    );
    let isOver = answer.incidents.length < atOnce;
    after = answer.last;
    for (const { incident } of answer.incidents) {
      await pause();
      const targetId = incident.target.id;
      const closedAtMs = incident.closedAt === undefined ? nowMs : Date.parse(incident.closedAt);
      if (closedAtMs < sinceMs) isOver = true;
      else if (agentIds.has(targetId)) {
        const own = spans.get(targetId) ?? [];
        own.push({ fromMs: Math.max(Date.parse(incident.openedAt), sinceMs), toMs: closedAtMs });
        spans.set(targetId, own);
      }
    }
    if (isOver) break;
  }
  for (const own of spans.values()) own.sort((one, other) => one.fromMs - other.fromMs);
  return spans;
}
