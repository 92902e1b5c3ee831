import type { KumaRow } from "@sonde/proto/http/import";
import type { ReadAssertion } from "./read-check.ts";
import { text } from "./rows.ts";

const ops: Readonly<Record<string, string>> = {
  "": "equals",
  "==": "equals",
  "!=": "notEquals",
  ">": "greaterThan",
  "<": "lessThan",
  contains: "contains",
};

/** One step of a JSONata path that names a single value: a name, one between backticks, or an index. */
const step = /(?:^|\.)([\p{L}_][\p{L}\p{N}_]*)|(?:^|\.)`([^`]+)`|\[(-?\d{1,9})\]/uy;

/** A JSON query as an assertion: the JSONata expression (docs.jsonata.org) has to be a plain path. */
export function readJsonQuery(row: KumaRow): ReadAssertion {
  const given = text(row, "json_path").trim();
  const operator = text(row, "json_path_operator").trim();
  const op = Object.hasOwn(ops, operator) ? ops[operator] : undefined;
  if (op === undefined) {
    return { refused: { text: "Sonde has no comparison {op} for JSON", params: { op: operator.slice(0, 20) } } };
  }
  const property = pathOf(given);
  if (property === null) {
    return { refused: { text: "Its JSON query is no plain path: {query}", params: { query: given.slice(0, 80) } } };
  }
  return { assertion: { source: "json", property, op, value: text(row, "expected_value") } };
}

/** `data.items[0].name`, `$.ok` → Sonde's paths. Null for all else that JSONata can. */
export function pathOf(query: string): string | null {
  const path = query.replace(/^\$\.?(?=$|[\p{L}_`[])/u, "");
  let made = "$";
  let at = 0;
  while (at < path.length) {
    step.lastIndex = at;
    const found = step.exec(path);
    if (found === null) return null;
    const [whole, name, quoted, index] = found;
    if (index !== undefined) made += `[${index}]`;
    else if (name !== undefined) made += `.${name}`;
    else made += `['${(quoted ?? "").replace(/[\\']/g, String.raw`\$&`)}']`;
    at += whole.length;
  }
  return made;
}
