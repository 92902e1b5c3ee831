type Look = { id: number; atMs: number };

/** Schedules the next look at each heartbeat in a heap, so that waiting heartbeats cost nothing. */
export function createLooks(timeOf: (id: number) => number | null) {
  const heap: Look[] = [];
  const planned = new Map<number, number>();
  const ready = new Set<number>();

  const push = (look: Look): void => {
    let at = heap.push(look) - 1;
    for (; at > 0;) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.atMs <= look.atMs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = look;
  };
  const pop = (): Look => {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child += 1;
      if (heap[child]!.atMs >= last.atMs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  };
  const plan = (id: number): void => {
    ready.delete(id);
    const atMs = timeOf(id);
    // An earlier entry is rescheduled when its time comes.
    if (atMs === null || (planned.get(id) ?? Infinity) <= atMs) return;
    planned.set(id, atMs);
    push({ id, atMs });
  };
  return {
    plan,
    /** Returns all heartbeats that are due for a look; they stay due until `plan` is called. */
    until(busMs: number): Iterable<number> {
      while (heap.length > 0 && heap[0]!.atMs <= busMs) {
        const { id, atMs } = pop();
        if (planned.get(id) !== atMs) continue;
        planned.delete(id);
        if ((timeOf(id) ?? Infinity) <= busMs) ready.add(id);
        else plan(id);
      }
      return ready;
    },
  };
}
