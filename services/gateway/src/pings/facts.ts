import { type FactName, factNames, type RunFacts } from "@sonde/proto/http/monitors/pings";

const number = /^\d{1,15}(?:\.\d{1,6})?$/;
const line = new RegExp(`^[ \\t]*(${factNames.join("|")})[ \\t]*=[ \\t]*(\\d{1,15}(?:\\.\\d{1,6})?)[ \\t\\r]*$`, "gm");

/**
 * Reads `rows`, `bytes`, `files` and `ms` from the query, else from lines such as `rows=120` of the output, the last of
 * each. Anything but a plain number is ignored: a ping counts whatever it says.
 */
export function readFacts(query: URLSearchParams, output = ""): RunFacts {
  const facts: RunFacts = {};
  for (const [, name, value] of output.matchAll(line)) facts[name as FactName] = Number(value);
  for (const name of factNames) {
    const value = query.get(name) ?? "";
    if (number.test(value)) facts[name] = Number(value);
  }
  return facts;
}
