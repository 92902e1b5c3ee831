/** Adds to the set of a key. */
export function put<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}

/** Takes from the set of a key; empty sets are not kept. */
export function take<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
