/** Stable. Items without a number come last in both directions. */
export function sortByNumber<Item>(
  items: readonly Item[],
  numberOf: (item: Item) => number | null,
  descending: boolean,
): Item[] {
  const sign = descending ? -1 : 1;
  const known: { item: Item; number: number }[] = [];
  const unknown: Item[] = [];
  for (const item of items) {
    const number = numberOf(item);
    if (number === null) unknown.push(item);
    else known.push({ item, number });
  }
  known.sort((one, other) => sign * (one.number - other.number));
  return [...known.map(({ item }) => item), ...unknown];
}
