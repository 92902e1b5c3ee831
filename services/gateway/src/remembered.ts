const longestText = 300;

/** The same function of a short text, which remembers its answers: for texts of few kinds, such as headers of browsers. */
export function remembered<Result>(work: (text: string) => Result, most = 500): (text: string) => Result {
  const known = new Map<string, { result: Result }>();
  return (text) => {
    if (text.length > longestText) return work(text);
    const found = known.get(text);
    if (found !== undefined) return found.result;
    const result = work(text);
    // Whoever sends ever new texts makes it forget; it grows no further.
    if (known.size >= most) known.clear();
    known.set(text, { result });
    return result;
  };
}
