import { createCache } from "../cache.ts";
import type { Clock } from "../time/clock.ts";

/** Names that the name servers found lately: others to query when they report that one does not exist. */
export interface FoundNames {
  add(name: string): void;
  forget(name: string): void;
  /** The newest others: one of the same registrable domain, and one each of up to five other domains. */
  othersThan(name: string): Promise<{ sameDomain: string[]; elsewhere: string[] }>;
  /** When any name was last found (monotonic); -Infinity before the first. */
  lastFoundMs(): number;
}

const remembered = 64;
const otherDomains = 5;
/** A name that was found this much earlier than the newest may no longer exist. */
const olderByMs = 3_600_000;

/** A bounded memory of names. Names age by later finds, not by time: without any, they stay. */
export function createFoundNames(clock: Clock): FoundNames {
  const found = createCache<string, number>({ most: remembered });
  let lastFoundMs = Number.NEGATIVE_INFINITY;
  return {
    add(name) {
      lastFoundMs = clock.elapsedMs();
      found.set(name, lastFoundMs);
    },
    forget: (name) => void found.delete(name),
    async othersThan(name) {
      const domainOf = await loadDomainOf();
      const own = domainOf(name);
      const newest = new Map<string, string>();
      for (const [other, atMs] of found.entries()) {
        const domain = domainOf(other);
        if (other !== name && !newest.has(domain) && atMs >= lastFoundMs - olderByMs) newest.set(domain, other);
      }
      const sameDomain = newest.get(own);
      newest.delete(own);
      return {
        sameDomain: sameDomain === undefined ? [] : [sameDomain],
        elsewhere: [...newest.values()].slice(0, otherDomains),
      };
    },
    lastFoundMs: () => lastFoundMs,
  };
}

/**
 * The registrable part of a name, by the Public Suffix List without its private part: names that share it share name
 * servers. A name of one label is its own. The list takes 4 MiB, so it is loaded for the first comparison.
 */
async function loadDomainOf(): Promise<(name: string) => string> {
  const { getDomain } = await import("tldts");
  return (name) => getDomain(name) ?? name;
}
