import { answerForReaders } from "@sonde/proto/http/notifications/delivery-answers";
import { withoutOutput } from "@sonde/proto/http/reasons/reasons";

/**
 * Removes what may contain secrets for users without write access: job output in causes, and providers' responses in
 * attempts. Searches the whole value, so that new fields leak neither. Returns the same value if nothing is removed.
 */
export const readerView = <Value>(value: Value): Value => viewOf(value) as Value;

function viewOf(value: unknown): unknown {
  if (typeof value === "string") return withoutOutput(value);
  if (Array.isArray(value)) {
    const view = value.map(viewOf);
    return view.some((item, index) => item !== value[index]) ? view : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const changes: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const isAttempt = key === "answer" && typeof inner === "string" && "at" in value;
    const view = isAttempt ? answerForReaders(inner) : viewOf(inner);
    if (view !== inner) changes[key] = view;
  }
  return Object.keys(changes).length === 0 ? value : { ...value, ...changes };
}
