/**
 * What stood in forms when a session ended, by address and form. Kept in this page's memory alone, because it may hold
 * secrets: it survives logging in again, but no reload, and nothing is written to a disk. Of one user at a time: who
 * else logs in finds nothing.
 */
let kept: { userId: number; drafts: Map<string, unknown> } | null = null;

export function keepDraft(userId: number, place: string, draft: unknown): void {
  if (kept?.userId !== userId) kept = { userId, drafts: new Map() };
  kept.drafts.set(place, draft);
}

/** The draft of a place; null where this user has none there. Drafts of another user are dropped. */
export function findDraft<Draft>(userId: number | undefined, place: string): Draft | null {
  if (kept !== null && kept.userId !== userId) kept = null;
  return (kept?.drafts.get(place) as Draft | undefined) ?? null;
}

export function dropDraft(place: string): void {
  kept?.drafts.delete(place);
}
