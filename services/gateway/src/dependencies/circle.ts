/** A target as a key: `monitor:12`. */
export type Key = `${"monitor" | "agent"}:${number}`;

/**
 * The way on which a target would come to depend on itself, from it on and back to it; null where there is none.
 * Depth first, each target once, without recursion: chains may be long.
 * @param parentsOf what each target depends on
 */
export function circleThrough(start: Key, parentsOf: (key: Key) => readonly Key[]): Key[] | null {
  /** By whom each was reached. */
  const from = new Map<Key, Key>();
  const waiting: Key[] = [start];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    for (const parent of parentsOf(key)) {
      if (parent === start) return wayTo(key, from);
      if (from.has(parent)) continue;
      from.set(parent, key);
      waiting.push(parent);
    }
  }
  return null;
}

function wayTo(last: Key, from: ReadonlyMap<Key, Key>): Key[] {
  const way: Key[] = [];
  for (let key: Key | undefined = last; key !== undefined; key = from.get(key)) way.push(key);
  return way.toReversed();
}
