/** `rank` increases along the list and is comparable across lists. */
export type RankedItem<Item> = { item: Item; rank: number };
/** The position after the entry with this rank. A cursor is only valid in its own list. */
type Mark = { rank: number; cursor: string };

/** An ordered list, read from a cursor; "" is its beginning. `total` counts the whole list. */
export type RankedSource<Item> = {
  list(after: string, limit: number): Promise<{ items: RankedItem<Item>[]; total: number }>;
  /** Returns the cursor after every n-th entry, in order, up to a maximum number. */
  marks(after: string, every: number): Promise<{ marks: Mark[]; total: number }>;
};

/** Up to this many entries are read and skipped rather than searched for. */
const maxSkipped = 100;
/** Marks needed per round; sources return at least this many. */
const marksPerRound = 200;

/**
 * Merges one page of several ordered lists by rank; equal ranks keep the order of the lists. A far page first skips ahead
 * in rounds: each reads marks from every list at a two-hundredth of the remaining distance, and skips to the last marks
 * that are certainly before the page. A round leaves `lists + 1` two-hundredths, so the millionth entry of two lists
 * takes three rounds.
 */
export async function mergePage<Item>(
  sources: readonly RankedSource<Item>[],
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: Item[]; total: number }> {
  let cursors = sources.map(() => "");
  let left = offset;
  while (left > maxSkipped) {
    const every = Math.ceil(left / marksPerRound);
    const answers = await Promise.all(sources.map((source, at) => source.marks(cursors[at] ?? "", every)));
    const total = sum(answers.map((answer) => answer.total));
    if (offset >= total) return { items: [], total };
    const reached = skippableMarks(
      answers.map(({ marks }) => marks),
      every,
      left,
    );
    const passed = sum(reached.map((count) => count * every));
    // The lists have shrunk.
    if (passed === 0) return { items: [], total };
    cursors = cursors.map((cursor, at) => answers[at]?.marks[(reached[at] ?? 0) - 1]?.cursor ?? cursor);
    left -= passed;
  }
  const parts = await Promise.all(sources.map((source, at) => source.list(cursors[at] ?? "", left + limit)));
  const merged = parts.flatMap(({ items }) => items).toSorted((one, other) => one.rank - other.rank);
  return {
    items: merged.slice(left, left + limit).map(({ item }) => item),
    total: sum(parts.map(({ total }) => total)),
  };
}

/** Skips only entries before `count`: other lists may have up to one step more entries than their marks show. */
function skippableMarks(lists: readonly (readonly Mark[])[], every: number, count: number): number[] {
  const passed = lists.map(() => 0);
  const marks = lists.flatMap((list, at) => list.map(({ rank }) => ({ rank, at })));
  for (const { at } of marks.toSorted((one, other) => one.rank - other.rank)) {
    if ((sum(passed) + lists.length) * every > count) break;
    passed[at] = (passed[at] ?? 0) + 1;
  }
  return passed;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
