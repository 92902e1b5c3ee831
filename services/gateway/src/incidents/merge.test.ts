import { describe, expect, test } from "vitest";
import { mergePage, type Source } from "./merge.ts";

/** A list that counts how often it was asked. */
function listOf(items: readonly number[]) {
  const asked: [number, number][] = [];
  const source: Source<number> = async (offset, limit) => {
    asked.push([offset, limit]);
    return { items: items.slice(offset, offset + limit), total: items.length };
  };
  return { source, asked };
}

const ascending = (left: number, right: number) => left < right;
const everyThird = Array.from({ length: 3000 }, (_, at) => at).filter((at) => at % 3 === 0);
const others = Array.from({ length: 3000 }, (_, at) => at).filter((at) => at % 3 !== 0);

describe("one page of two lists", () => {
  test.each([
    [0, 50],
    [150, 50],
    [180, 50],
    [1000, 200],
    [2950, 100],
    [2999, 1],
    [3000, 10],
    [2_000_000, 200],
  ])("from %i, %i items, is what one list would show", async (offset, limit) => {
    const sources = [listOf(everyThird).source, listOf(others).source] as const;
    const page = await mergePage(sources, { offset, limit }, ascending);
    const expected = Array.from({ length: limit }, (_, at) => offset + at).filter((at) => at < 3000);
    expect(page).toEqual({ items: expected, total: 3000 });
  });

  test.each([0, 300, 999])("is whole where one list is empty, from %i", async (offset) => {
    for (const lists of [
      [everyThird, []],
      [[], everyThird],
    ] as const) {
      const sources = [listOf(lists[0]).source, listOf(lists[1]).source] as const;
      const { items } = await mergePage(sources, { offset, limit: 100 }, ascending);
      expect(items).toEqual(everyThird.slice(offset, offset + 100));
    }
  });

  test("is whole where all of one list comes after all of the other", async () => {
    const [low, high] = [listOf([1, 2, 3]), listOf(Array.from({ length: 500 }, (_, at) => at + 10))];
    const page = await mergePage([high.source, low.source], { offset: 201, limit: 3 }, ascending);
    expect(page.items).toEqual([208, 209, 210]);
  });

  test("costs a few questions, however far it lies", async () => {
    const [one, other] = [listOf(everyThird), listOf(others)];
    await mergePage([one.source, other.source], { offset: 2000, limit: 50 }, ascending);
    expect(one.asked.length).toBeLessThan(14);
  });
});
