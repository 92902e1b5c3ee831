import { describe, expect, test } from "vitest";
import { mergePage, type RankedSource } from "./merge.ts";

/** A list of ranks that counts queries and returned entries. */
function listOf(ranks: readonly number[]) {
  const asked = { times: 0, entries: 0 };
  const count = <Entry>(entries: Entry[]) => {
    asked.times++;
    asked.entries += entries.length;
    return entries;
  };
  const source: RankedSource<number> = {
    list: async (after, limit) => {
      const items = ranks.slice(Number(after), Number(after) + limit).map((rank) => ({ item: rank, rank }));
      return { items: count(items), total: ranks.length };
    },
    marks: async (after, every) => {
      const marks: { rank: number; cursor: string }[] = [];
      for (let at = Number(after) + every; at <= ranks.length && marks.length < 256; at += every) {
        marks.push({ rank: ranks[at - 1] ?? 0, cursor: String(at) });
      }
      return { marks: count(marks), total: ranks.length };
    },
  };
  return { source, asked };
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const split = (count: number, belongs: (at: number) => number, lists: number) =>
  numbers(lists).map((list) => numbers(count).filter((at) => belongs(at) === list));

describe("one page of several lists", () => {
  test.each([0, 50, 99, 100, 101, 180, 1_000, 2_950, 2_999, 3_000, 2_000_000])(
    "from %i equals a page of one merged list",
    async (offset) => {
      for (const lists of [
        split(3_000, (at) => at % 3, 3),
        split(3_000, (at) => (at % 7 === 0 ? 0 : 1), 2),
        split(3_000, (at) => (at < 1_400 ? 1 : 0), 2),
        split(3_000, () => 1, 3),
        split(3_000, (at) => (Math.floor(at / 170) * 31) % 5, 5),
        [numbers(3_000)],
      ]) {
        const sources = lists.map((list) => listOf(list).source);
        const items = numbers(3_000).slice(offset, offset + 200);
        expect(await mergePage(sources, { offset, limit: 200 })).toEqual({ items, total: 3_000 });
      }
    },
  );

  test("has no gaps or duplicates if many ranks are equal", async () => {
    const lists = [0, 1, 2].map((list) => numbers(900).map((at) => [Math.floor(at / 300), list * 900 + at] as const));
    const sources = lists.map((list): RankedSource<number> => {
      const { source } = listOf(list.map(([rank]) => rank));
      return {
        ...source,
        list: async (after, limit) => {
          const items = list.slice(Number(after), Number(after) + limit).map(([rank, item]) => ({ item, rank }));
          return { items, total: list.length };
        },
      };
    });
    const pages = await Promise.all(numbers(27).map((page) => mergePage(sources, { offset: page * 100, limit: 100 })));
    expect(pages.flatMap(({ items }) => items).toSorted((one, other) => one - other)).toEqual(numbers(2_700));
  });

  test("needs few and small queries, however far it is", async () => {
    const lists = split(200_000, (at) => at % 2, 2).map(listOf);
    const sources = lists.map(({ source }) => source);
    await mergePage(sources, { offset: 150_000, limit: 50 });
    for (const { asked } of lists) {
      expect(asked.times).toBeLessThanOrEqual(4);
      expect(asked.entries).toBeLessThanOrEqual(3 * 256 + 150);
    }
  });

  test("is empty without sources", async () => {
    expect(await mergePage([], { offset: 400, limit: 50 })).toEqual({ items: [], total: 0 });
  });
});
