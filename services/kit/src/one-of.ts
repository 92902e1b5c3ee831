/**
 * Creates a parser for a closed list of texts, whose result needs no cast.
 * @param what noun for the error, such as "monitor status"
 * @returns a function that throws a TypeError for other texts
 */
export function oneOf<const Value extends string>(values: readonly Value[], what: string): (text: string) => Value {
  const known = new Map<string, Value>(values.map((value) => [value, value]));
  return (text) => {
    const value = known.get(text);
    if (value === undefined) throw new TypeError(`${JSON.stringify(text.slice(0, 50))} is not a known ${what}`);
    return value;
  };
}
