import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { agentName } from "./agents/agents.ts";
import { monitorUrl } from "./monitors/checks/url.ts";
import { faultsOf } from "./reasons/issues.ts";
import { monitorName } from "./monitors/monitors.ts";
import { tag } from "./tags.ts";
import { isOfOneScript, linePattern, plainLine, usernamePattern } from "./text.ts";
import { newPassword, updateUserInput, username } from "./users.ts";

const messagesOf = (schema: z.ZodType, text: string) => {
  const parsed = schema.safeParse(text);
  return parsed.success ? [] : faultsOf(parsed.error.issues).map(({ message }) => message);
};

const hidden: [string, string][] = [
  ["NUL", "a\u0000b"],
  ["a tab", "a\tb"],
  ["a line break", "a\nb"],
  ["an escape sequence", "a\u001b[31mb"],
  ["a C1 control", "a\u0085b"],
  ["a line separator", "a\u2028b"],
  ["a paragraph separator", "a\u2029b"],
  ["a right-to-left override", "a\u202Efdp.exe"],
  ["an isolate", "a\u2066b"],
  ["a left-to-right mark", "a\u200Eb"],
  ["a zero width space", "a\u200Bb"],
  ["a byte order mark", "a\uFEFFb"],
  ["a soft hyphen", "a\u00ADb"],
  ["a lone surrogate", "a\uD800b"],
  ["hidden tag letters", "a\u{E0041}b"],
];

describe.each([
  ["a monitor's name", monitorName],
  ["an agent's or a token's name", agentName],
  ["a tag", tag],
] as const)("%s", (_noun, schema) => {
  test.each(hidden)("with %s inside is refused", (_what, text) => {
    expect(messagesOf(schema, text)).toEqual(["Control and invisible characters are not allowed"]);
  });

  test.each(["東京", "سرور\u200Cها", "क्\u200Dष", "👩‍👩‍👧‍👦 home", "❤️", "a b", "  trimmed  "])("may be %s", (text) => {
    expect(messagesOf(schema, text)).toEqual([]);
    expect(schema.parse(text)).toBe(text.trim());
  });

  test.each(["\r\nname", "name\n", "\uFEFFname"])("with hidden characters around it (%j) is refused", (text) => {
    expect(messagesOf(schema, text)).toEqual(["Control and invisible characters are not allowed"]);
  });

  test.each(["", "   ", "\u3164", "\u200D"])("of nothing that can be seen (%j) is none", (text) => {
    expect(messagesOf(schema, text)).toHaveLength(1);
    expect(messagesOf(schema, text)).not.toEqual(["Control and invisible characters are not allowed"]);
  });
});

describe("a username", () => {
  test.each([
    ...hidden,
    ["a joiner", "ad\u200Da"],
    ["a Hangul filler", "ad\u3164a"],
    ["a variation selector", "ada\uFE0F"],
    ["a combining grapheme joiner", "ad\u034Fa"],
  ])("with %s inside is refused: it would look like another's", (_what, text) => {
    expect(messagesOf(username, text)).toEqual(["The username cannot contain control or invisible characters"]);
  });

  test.each(["ada", "Ada Lovelace", "张三", "åsa", "🚀"])("may be %s", (text) => {
    expect(messagesOf(username, text)).toEqual([]);
  });
});

test("an address holds no hidden characters", () => {
  expect(messagesOf(monitorUrl, "https://example.com/\u202Egpj.exe")).toEqual([
    "Control and invisible characters are not allowed",
  ]);
  expect(messagesOf(monitorUrl, "https://example.com/a\nb")).toHaveLength(1);
});

test("lengths count characters, not halves of them, as the OpenAPI document's limits do", () => {
  expect(messagesOf(monitorName, "🚀".repeat(100))).toEqual([]);
  expect(messagesOf(monitorName, "🚀".repeat(101))).toEqual(["The name can have at most {max} characters"]);
  expect(messagesOf(username, "🚀".repeat(64))).toEqual([]);
  expect(messagesOf(username, "🚀".repeat(65))).toEqual(["The username can have at most {max} characters"]);
  expect(messagesOf(newPassword, "🚀".repeat(7))).toEqual(["The password must have at least {min} characters"]);
  expect(messagesOf(newPassword, "🚀".repeat(256))).toEqual([]);
});

test("the patterns in the OpenAPI document refuse and allow the same", () => {
  const [line, name] = [new RegExp(linePattern, "u"), new RegExp(usernamePattern, "u")];
  // The document only describes this rule in words.
  const pairs = [
    { allows: (text: string) => line.test(text), schema: agentName },
    { allows: (text: string) => name.test(text) && isOfOneScript(text), schema: username },
  ];
  // The patterns do not cover characters beyond U+FFFF.
  const inside = Array.from({ length: 0xd800 }, (_, code) => `a${String.fromCharCode(code)}b`);
  for (const { allows, schema } of pairs) {
    const differ = [...inside, "", " ", "\u3164", "\u200D"].filter(
      (text) => allows(text) !== schema.safeParse(text).success,
    );
    expect(differ).toEqual([]);
  }
});

test("a machine's name is cleaned where it becomes an agent's", () => {
  expect(plainLine("web\u202E-1\n")).toBe("web-1");
});

test.each([
  ["alice_01", true],
  ["Zoë.Müller-Ørsted", true],
  ["Иван", true],
  ["Иван Smith", true],
  ["ops-дежурный", true],
  ["Αθηνά", true],
  ["王小明", true],
  ["山田たろうカナ", true],
  ["金철수", true],
  ["王ㄨㄤˊ", true],
  ["प्रिया", true],
  ["ᏣᎳᎩ", true],
  ["e\u0301lise", true],
  ["аlice", false],
  ["Bοb", false],
  ["раураl", false],
  ["たろう철수", false],
  ["ᏣaᎩ", false],
])("whether no word of %s mixes scripts: %s", (name, expected) => {
  expect(isOfOneScript(name)).toBe(expected);
});

test("a new account takes no name that mixes scripts, and one that has such a name keeps it", () => {
  const parsed = username.safeParse("аlice");
  expect(parsed.error?.issues.map(({ message }) => message)).toEqual(["A word in the username cannot mix alphabets"]);
  expect(updateUserInput.safeParse({ username: "аlice" }).success).toBe(true);
});
