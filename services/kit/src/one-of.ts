/**
 * Makes a reader of a closed list of texts, for where a message, a row or the environment enters: inside, the union's
 * own type holds and nothing needs a cast.
 * @param what the list's name in the error, such as "monitor status"
 * @returns a function that answers its text as one of `values`. @throws TypeError for any other text
 */
export function oneOf<const Value extends string>(values: readonly Value[], what: string): (text: string) => Value {
  const known = new Map<string, Value>(values.map((value) => [value, value]));
  return (text) => {
    const value = known.get(text);
    if (value === undefined) throw new TypeError(`${JSON.stringify(text.slice(0, 50))} is not a known ${what}`);
    return value;
  };
}
