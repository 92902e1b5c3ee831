import type { AssertionOp, AssertionSource } from "../monitors/assertions.ts";
import type { Language } from "../messages.ts";

type Words = Record<Language, string>;

/** Subjects of assertions; `property` is a header name or a path. */
const subjects: Record<AssertionSource, Words> = {
  body: { "en-US": "the body", "zh-CN": "响应体" },
  header: { "en-US": "header {property}", "zh-CN": "响应头 {property} " },
  json: { "en-US": "JSON value {property}", "zh-CN": " JSON 值 {property} " },
  latency: { "en-US": "the response time", "zh-CN": "响应时间" },
};

const comparisons: Record<AssertionOp, Words> = {
  equals: { "en-US": "to equal", "zh-CN": "等于" },
  notEquals: { "en-US": "not to equal", "zh-CN": "不等于" },
  contains: { "en-US": "to contain", "zh-CN": "包含" },
  notContains: { "en-US": "not to contain", "zh-CN": "不包含" },
  matches: { "en-US": "to match", "zh-CN": "匹配" },
  lessThan: { "en-US": "to be less than", "zh-CN": "小于" },
  greaterThan: { "en-US": "to be greater than", "zh-CN": "大于" },
  exists: { "en-US": "to exist", "zh-CN": "存在" },
};

/** Second half of the sentence. */
const endings = {
  found: { "en-US": ", got {found}", "zh-CN": "，实际为 {found}" },
  absent: { "en-US": ", but it was not sent", "zh-CN": "，但响应中没有" },
  slow: { "en-US": ", but it takes too long to tell", "zh-CN": "，但判定耗时过长" },
  incomparable: { "en-US": ", but its value cannot be compared", "zh-CN": "，但其值无法比较" },
} as const satisfies Record<string, Words>;
export type AssertionEnding = { kind: Exclude<keyof typeof endings, "found"> } | { kind: "found"; found: string };

export type AssertionSentence = {
  source: AssertionSource;
  /** Header name or path, safe to show. */
  property?: string;
  op: AssertionOp;
  /** Expected value, safe to show. */
  value?: string;
};

const withUnit = (source: AssertionSource, text: string) => (source === "latency" ? `${text} ms` : text);

/** Describes what an assertion expected: `Expected the response time to be less than 100 ms`. */
export function describeAssertion(
  { source, property = "", op, value = "" }: AssertionSentence,
  language: Language,
): string {
  const subject = subjects[source][language].replace("{property}", () => property);
  const wanted = op === "exists" ? "" : ` ${withUnit(source, value)}`;
  const comparison = comparisons[op][language];
  return language === "zh-CN" ? `期望${subject}${comparison}${wanted}` : `Expected ${subject} ${comparison}${wanted}`;
}

/** Describes the outcome; appended to `describeAssertion`. */
export function describeEnding(source: AssertionSource, ending: AssertionEnding, language: Language): string {
  const found = ending.kind === "found" ? withUnit(source, ending.found) : "";
  return endings[ending.kind][language].replace("{found}", () => found);
}

/** `to be less than` and `lessThan`: older results were stored with operator names. */
const opsByWords = new Map(
  Object.entries(comparisons).flatMap(([op, words]) => [
    [op, op as AssertionOp],
    [words["en-US"], op as AssertionOp],
  ]),
);
const sourcesByWords: Record<string, AssertionSource> = {
  "the body": "body",
  body: "body",
  header: "header",
  "JSON value": "json",
  json: "json",
  "the response time": "latency",
  latency: "latency",
};

const anyOf = (texts: Iterable<string>) => [...texts].join("|");
const pattern = new RegExp(
  `^Expected (?:(${anyOf(["the body", "body", "the response time", "latency"])})|(JSON value|json|header) (.+?)) ` +
    `(${anyOf(opsByWords.keys())})(?: (.*?))?` +
    "(?:, got (.*?)|(, but it was not sent)|(, but it takes too long to tell)|(, but its value cannot be compared))?$",
  "s",
);
const withoutUnit = (text: string) => text.replace(/ ms$/, "");

/**
 * Translates a stored assertion failure. Operator names, with which older results were stored, become words too.
 * @returns `null` for any other text
 */
export function explainAssertion(text: string, language: Language): string | null {
  const parts = pattern.exec(text);
  if (parts === null) return null;
  const [, plain, named, property, opWords = "", value = "", found, absent, slow, incomparable] = parts;
  const source = sourcesByWords[plain ?? named ?? ""];
  const op = opsByWords.get(opWords);
  if (source === undefined || op === undefined) return null;
  const read = (quoted: string) => (source === "latency" ? withoutUnit(quoted) : quoted);
  // Bodies are never quoted, so `, got` is part of the expected value there.
  const isPart = found !== undefined && (source === "body" || source === "json");
  const said = describeAssertion(
    { source, property, op, value: isPart ? `${value}, got ${found}` : read(value) },
    language,
  );
  const ending = (): AssertionEnding | null => {
    if (absent !== undefined || (found === "nothing" && source === "header")) return { kind: "absent" };
    if (slow !== undefined) return { kind: "slow" };
    if (incomparable !== undefined) return { kind: "incomparable" };
    return found === undefined || isPart ? null : { kind: "found", found: read(found) };
  };
  const end = ending();
  return end === null ? said : said + describeEnding(source, end, language);
}
