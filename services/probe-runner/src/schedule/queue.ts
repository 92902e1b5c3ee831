export interface QueuedItem {
  /** Epoch milliseconds. */
  dueMs: number;
  /** Index in the heap, maintained by the queue; -1 outside. */
  position: number;
}

/** Binary heap by `dueMs`. Items know their index, so removing or moving one is O(log n) as well. */
export class DueQueue<T extends QueuedItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  put(item: T, dueMs: number): void {
    item.dueMs = dueMs;
    if (item.position < 0) item.position = this.#items.push(item) - 1;
    this.#settle(item);
  }

  remove(item: T): void {
    const { position } = item;
    if (position < 0) return;
    item.position = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#place(last, position);
    this.#settle(last);
  }

  #settle(item: T): void {
    this.#sink(item, this.#rise(item, item.position));
  }

  #rise(item: T, from: number): number {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above]!;
      if (parent.dueMs <= item.dueMs) break;
      this.#place(parent, at);
      at = above;
    }
    this.#place(item, at);
    return at;
  }

  #sink(item: T, from: number): void {
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#items.length) break;
      if (child + 1 < this.#items.length && this.#items[child + 1]!.dueMs < this.#items[child]!.dueMs) child++;
      const lesser = this.#items[child]!;
      if (lesser.dueMs >= item.dueMs) break;
      this.#place(lesser, at);
      at = child;
    }
    this.#place(item, at);
  }

  #place(item: T, position: number): void {
    this.#items[position] = item;
    item.position = position;
  }
}
