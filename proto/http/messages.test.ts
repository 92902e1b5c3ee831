import { expect, test } from "vitest";
import { isExpectedStatus, parseExpectedStatus } from "./monitors/expected-status.ts";
import { incidentMessages } from "./incidents/messages.ts";
import { fill } from "./fill.ts";
import { languageOf } from "./language.ts";
import { messages, translate } from "./messages.ts";

test.each([
  [undefined, "en-US"],
  ["*", "en-US"],
  ["zh", "zh-CN"],
  ["zh-TW,en;q=0.8", "zh-CN"],
  ["en;q=0.5, zh-CN", "zh-CN"],
  ["fr, zh;q=0.9", "en-US"],
  ["zh;q=0", "en-US"],
])("Accept-Language %s speaks %s", (header, language) => {
  expect(languageOf(header)).toBe(language);
});

test("both languages of a message have the same placeholders", () => {
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  for (const [english, chinese] of Object.entries({ ...messages, ...incidentMessages }))
    expect(placeholders(chinese), english).toEqual(placeholders(english));
});

test("placeholders are filled in the asked language; user text is never read as a placeholder", () => {
  expect(translate("At most {max} tags are allowed", "zh-CN", { max: 20 })).toBe("最多 20 个标签");
  expect(fill("{a} {b}", { a: "{b}", b: "1" })).toBe("{b} 1");
});

test.each([
  [200, 200, true],
  ["2xx", 204, true],
  ["200-204,301", 301, true],
  ["200-204,301", 205, false],
  ["2XX, 404", 404, true],
])("%s against %i is %s", (expected, status, matches) => {
  const ranges = parseExpectedStatus(expected);
  expect(ranges && isExpectedStatus(ranges, status)).toBe(matches);
});

test.each(["", "abc", "600", "204-200", "2xx,", "20", "1e3"])("%s is no expected status", (text) => {
  expect(parseExpectedStatus(text)).toBeNull();
});
