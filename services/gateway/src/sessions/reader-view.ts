import { answerForReaders } from "@sonde/proto/http/notifications/delivery-answers";
import { withoutOutput } from "@sonde/proto/http/reasons/reasons";

/**
 * Returns an answer or event for those who may not write: causes without what a job printed, attempts without what a
 * provider answered, since both may hold secrets. The whole value is searched, so that a new field leaks neither. A value
 * without either is returned itself.
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
