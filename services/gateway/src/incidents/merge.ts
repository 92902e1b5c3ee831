/** One of two lists in the same order, read by offset. */
export type Source<Item> = (offset: number, limit: number) => Promise<{ items: Item[]; total: number }>;

/** Few enough to be read whole from both. */
const shallow = 200;

/**
 * One page of two ordered lists as if they were one. The first pages are read whole from both; for a later one a
 * binary search over the two finds where its first item lies in each, so that the cost grows with the logarithm of
 * the offset.
 * @param before whether the left item comes before the right
 */
export async function mergePage<Item>(
  sources: readonly [Source<Item>, Source<Item>],
  { offset, limit }: { offset: number; limit: number },
  before: (left: Item, right: Item) => boolean,
): Promise<{ items: Item[]; total: number }> {
  const [one, other] = sources;
  if (offset + limit <= shallow) {
    const [left, right] = await Promise.all([one(0, offset + limit), other(0, offset + limit)]);
    const merged = zip(left.items, right.items, before);
    return { items: merged.slice(offset, offset + limit), total: left.total + right.total };
  }
  const [{ total: ones }, { total: others }] = await Promise.all([one(0, 1), other(0, 1)]);
  const total = ones + others;
  if (offset >= total) return { items: [], total };
  const skipped = await skip(sources, [ones, others], offset, before);
  const [left, right] = await Promise.all([one(skipped, limit), other(offset - skipped, limit)]);
  return { items: zip(left.items, right.items, before).slice(0, limit), total };
}

/** How many of the first list's items are among the first `count` of both together. */
async function skip<Item>(
  [one, other]: readonly [Source<Item>, Source<Item>],
  [ones, others]: readonly [number, number],
  count: number,
  before: (left: Item, right: Item) => boolean,
): Promise<number> {
  let low = Math.max(0, count - others);
  let high = Math.min(count, ones);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [left, right] = await Promise.all([one(middle, 1), other(count - middle - 1, 1)]);
    const [first] = left.items;
    const [second] = right.items;
    // Of two that are equal the first list's comes first, as in `zip`.
    if (first !== undefined && (second === undefined || !before(second, first))) low = middle + 1;
    else high = middle;
  }
  return low;
}

function zip<Item>(left: readonly Item[], right: readonly Item[], before: (a: Item, b: Item) => boolean): Item[] {
  const merged: Item[] = [];
  let at = 0;
  for (const item of left) {
    while (at < right.length && before(right[at] as Item, item)) merged.push(right[at++] as Item);
    merged.push(item);
  }
  return [...merged, ...right.slice(at)];
}
