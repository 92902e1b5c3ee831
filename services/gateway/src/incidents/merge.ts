/** Something of a list; `rank` rises along the list and compares with those of other lists. */
export type RankedItem<Item> = { item: Item; rank: number };
/** The position after the entry of this rank in a list. The cursor is its list's own. */
type Mark = { rank: number; cursor: string };

/** One ordered list, read from a cursor on; "" is its beginning. `total` counts all of it. */
export type RankedSource<Item> = {
  list(after: string, limit: number): Promise<{ items: RankedItem<Item>[]; total: number }>;
  /** The cursor behind every n-th entry, in order; a bounded number of them. */
  marks(after: string, every: number): Promise<{ marks: Mark[]; total: number }>;
};

/** The most entries before a page that are read and skipped rather than searched for. */
const skippedAtMost = 100;
/** Marks that one search may need of a source; sources give at least as many. */
const marksASearch = 200;

/**
 * One page of several ordered lists as if they were one; among entries of one rank those of the first list come first.
 * The first page reads that page of each list. A far page first reads marks from each list, a two-hundredth of the way
 * apart, continues from the last ones that are certainly before the page, and repeats that with the remaining way. Each
 * round leaves `lists + 1` two-hundredths of the way, so the millionth entry of two lists takes three rounds of one
 * query a list, each with at most 256 marks, and then one page of each list.
 */
export async function mergePage<Item>(
  sources: readonly RankedSource<Item>[],
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: Item[]; total: number }> {
  let cursors = sources.map(() => "");
  let left = offset;
  while (left > skippedAtMost) {
    const every = Math.ceil(left / marksASearch);
    const answers = await Promise.all(sources.map((source, at) => source.marks(cursors[at] ?? "", every)));
    const total = sum(answers.map((answer) => answer.total));
    if (offset >= total) return { items: [], total };
    const reached = surelyBefore(
      answers.map(({ marks }) => marks),
      every,
      left,
    );
    const passed = sum(reached.map((count) => count * every));
    // Lists that shrink meanwhile.
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

/**
 * How many marks of each list can be skipped, so that none of the first `count` entries of all lists together is left
 * out: up to a mark there are its own list's entries, and of each other list less than one step more than its marks
 * show.
 */
function surelyBefore(lists: readonly (readonly Mark[])[], every: number, count: number): number[] {
  const passed = lists.map(() => 0);
  const marks = lists.flatMap((list, at) => list.map(({ rank }) => ({ rank, at })));
  for (const { at } of marks.toSorted((one, other) => one.rank - other.rank)) {
    if ((sum(passed) + lists.length) * every > count) break;
    passed[at] = (passed[at] ?? 0) + 1;
  }
  return passed;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
