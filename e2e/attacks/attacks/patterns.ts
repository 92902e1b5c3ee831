import type { Attack } from "../attack.ts";
import { countResponses, post } from "../responses.ts";

const classes = (count: number) => `(?i)${"[Ā-\\u{10FFFF}]".replaceAll("\\u{10FFFF}", "\u{10FFFF}").repeat(count)}`;
const matching = "(?:.*[a-e].*[f-z]){600}[!?]";
const shared = { source: "body", op: "matches" };

/** A user tests patterns that are slow to compile or to match, twenty per test. */
export const patterns: Attack = async ({ url, token, target }) => {
  const responses = countResponses();
  const test = async (value: string) => {
    const assertions = Array.from({ length: 20 }, () => ({ ...shared, value }));
    responses.add(await post(`${url}/api/monitors/test`, token, { name: "x", url: `${target}/large`, assertions }));
  };
  for (const count of [100, 332, 399]) await test(classes(count));
  for (let n = 0; n < 5; n++) await test(matching);
  await Promise.all(Array.from({ length: 20 }, () => test("(?:.*[a-e].*[f-z]){40}[!?]")));
  return responses.text();
};
