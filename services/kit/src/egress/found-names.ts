import type { Clock } from "../clock.ts";

/** Names that the name servers found lately: others to ask for when they say that one does not exist. */
export interface FoundNames {
  add(name: string): void;
  forget(name: string): void;
  /** The five that were found last, the newest first. */
  newest(): string[];
}

const remembered = 64;
const told = 5;
/** Older than the newest by more, a name may have gone for good. */
const olderByMs = 3_600_000;

/** A bounded memory of names. It ages by what was found after, not by time: where nothing is found, it stays. */
export function createFoundNames(clock: Clock): FoundNames {
  const foundMs = new Map<string, number>();
  return {
    add(name) {
      foundMs.delete(name);
      if (foundMs.size >= remembered) for (const oldest of foundMs.keys()) if (foundMs.delete(oldest)) break;
      foundMs.set(name, clock.elapsedMs());
    },
    forget: (name) => void foundMs.delete(name),
    newest() {
      const newestFirst = [...foundMs].reverse().slice(0, told);
      const sinceMs = (newestFirst[0]?.[1] ?? 0) - olderByMs;
      return newestFirst.filter(([, atMs]) => atMs >= sinceMs).map(([name]) => name);
    },
  };
}
