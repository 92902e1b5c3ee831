/** A text whose lines stand one below the other, each in an element of its own. */
export function Lines({ text }: { text: string }) {
  const lines = text.split("\n");
  if (lines.length === 1) return text;
  return lines.map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ));
}
