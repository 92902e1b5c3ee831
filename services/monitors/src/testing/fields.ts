import type { Monitor } from "@sonde/proto/gen/monitors/v1/monitors";
import { type CheckOf, kinds, readCheck } from "@sonde/proto/http/kinds";

type Given = Record<string, unknown>;

/** The fields of a monitor as they are asked for over RPC; those of an HTTP check may stand among them. */
export function fieldsOf(given: Given): Given {
  const isOfCheck = ([name]: [string, unknown]) => name === "type" || name in kinds.http.fields;
  const entries = Object.entries(given);
  const check = entries.filter(isOfCheck);
  const rest = Object.fromEntries(entries.filter((entry) => !isOfCheck(entry)));
  return check.length === 0 ? rest : { ...rest, check: JSON.stringify(Object.fromEntries(check)) };
}

/** What an HTTP monitor checks, as it is shown. */
export function httpCheckOf({ fields }: Pick<Monitor, "fields">): CheckOf<"http"> {
  const check = readCheck(JSON.parse(fields?.check ?? "{}") as Given);
  if (check.type !== "http") throw new Error(`a ${check.type} check`);
  return check;
}
