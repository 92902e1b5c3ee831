import { json } from "./rows.ts";

const isCondition = (value: unknown): value is Condition => typeof value === "object" && value !== null;
type Condition = { variable?: unknown; operator?: unknown; value?: unknown };

const plainTypes = new Set(["A", "AAAA", "CNAME", "NS", "PTR", "TXT"]);

/** Reads a condition that requires one record; other conditions are returned as text in `left`. */
export function readConditions(given: string, recordType: string): { expect?: string[]; left: string } {
  const read = json(given);
  const list = Array.isArray(read) ? (read as unknown[]).filter(isCondition) : [];
  if (list.length === 0) return { left: "" };
  const [first, ...others] = list;
  const isPlain = others.length === 0 && first?.variable === "record" && first.operator === "equals";
  if (isPlain && plainTypes.has(recordType) && typeof first.value === "string" && first.value !== "") {
    return { expect: [first.value], left: "" };
  }
  const words = list.map(({ variable, operator, value }) =>
    [variable, operator, value].filter((part) => typeof part === "string" || typeof part === "number").join(" "),
  );
  return { left: words.join("; ").slice(0, 120) || "…" };
}
