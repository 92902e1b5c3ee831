const heldMs = 1000;
const mostHeld = 5000;

/** Remembers briefly which tokens are no session, so that repeating one does not ask auth each time. Bounded. */
export function createMisses(now: () => number) {
  const untilMs = new Map<string, number>();
  return {
    add(hash: string): void {
      untilMs.delete(hash);
      untilMs.set(hash, now() + heldMs);
      if (untilMs.size > mostHeld) untilMs.delete(untilMs.keys().next().value!);
    },
    has(hash: string): boolean {
      return (untilMs.get(hash) ?? 0) > now();
    },
  };
}
