import { clipText, clipWhereTheyDiffer } from "@sonde/kit/clip";
import type { PatternError } from "@sonde/kit/patterns/size";
import { fill } from "@sonde/proto/http/fill";
import type { Assertion, AssertionOp } from "@sonde/proto/http/monitors/assertions";
import { isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { parseJsonPath, type PathStep } from "@sonde/proto/http/monitors/json-path";
import { type AssertionEnding, describeAssertion, describeEnding } from "@sonde/proto/http/reasons/assertion-reasons";
import { secretMask } from "@sonde/proto/http/secrets";
import type { IncomingHttpHeaders } from "node:http";
import { utf8Of } from "./texts.ts";

/** The response as assertions see it. `text` is set only if an assertion needs the body. */
export interface ResponseFacts {
  headers: IncomingHttpHeaders;
  text: string;
  isCut?: boolean | undefined;
  latencyMs: number;
  json?: { value: unknown } | { failure: string };
}

/** A compiled assertion. `failure` returns why it does not hold, or `undefined`. */
export interface Expectation {
  needsBody: boolean;
  lateFailure: string;
  failure(facts: ResponseFacts): string | undefined;
}

type Subject = (facts: ResponseFacts) => { value: unknown } | { failure: string };
type Comparison = (actual: unknown) => boolean | { failure: string };

export type CompilePattern = (source: string) => ((text: string) => boolean) | PatternError;
/** Compiles a pattern into a function that extracts its first group, or returns why the pattern is invalid. */
type CompileCapture = (source: string) => ((text: string) => string | undefined) | PatternError;

/** Patterns may take seconds to compile or match: `isHeavy` sends them to a worker thread with its own compiler. */
const notHere: CompilePattern = () => {
  throw new Error("regular expressions must run in a worker thread");
};

export const maxTextBytes = 1024 * 1024;
export const bodyTooLarge = `The body is larger than ${maxTextBytes / 1024 / 1024} MiB`;
const notJson = "The body is not valid JSON";
/** Limit for each part of a sentence, so that the result fits into a stored error. */
const maxShownBytes = 85;

/** Compiles an assertion. Saving rejects one that can never hold; an older one fails every check with the reason. */
export function compileAssertion(assertion: Assertion, compile: CompilePattern = notHere): Expectation {
  const { source, property = "", op, value } = assertion;
  const needsBody = source === "body" || source === "json";
  const subject = compileSubject(assertion);
  const comparison = compileComparison(op, String(value ?? ""), compile);

  // Bodies may be confidential and long, and headers may hold keys: quote neither.
  const isSecret = source === "header" && isSecretHeader(property);
  const isQuoted = !needsBody && !isSecret;
  // The expected value of a secret header may be the secret too.
  const expectedText = isSecret ? secretMask : shown(value);
  const sentence = { source, property: clipText(property, maxShownBytes), op };
  const sentenceWithValue = describeAssertion({ ...sentence, value: expectedText }, "en-US");
  const describeWith = (ending: AssertionEnding) => sentenceWithValue + describeEnding(source, ending, "en-US");
  const describeUnequal = (actual: unknown) => {
    const [expected, found] = clipWhereTheyDiffer(wholeText(value), wholeText(actual), maxShownBytes);
    const ending = describeEnding(source, { kind: "found", found }, "en-US");
    return describeAssertion({ ...sentence, value: expected }, "en-US") + ending;
  };
  return {
    needsBody,
    lateFailure: describeWith({ kind: "slow" }),
    failure(facts) {
      try {
        if (facts.isCut === true && source === "json") return bodyTooLarge;
        const found = subject(facts);
        if ("failure" in found) return found.failure;
        const holds = comparison(found.value);
        if (typeof holds === "object") return holds.failure;
        if (facts.isCut === true && isOpen(assertion, holds)) return bodyTooLarge;
        if (holds) return undefined;
        if (source === "header" && found.value === undefined) return describeWith({ kind: "absent" });
        if (isQuoted && op === "equals") return describeUnequal(found.value);
        return isQuoted ? describeWith({ kind: "found", found: shown(found.value) }) : sentenceWithValue;
      } catch {
        // Unusual content must not prevent a verdict: JSON may be nested too deeply to stringify.
        return describeWith({ kind: "incomparable" });
      }
    },
  };
}

/** True if the missing part of a truncated body could still change the result. */
function isOpen({ source, op }: Assertion, holds: boolean): boolean {
  if (source !== "body") return false;
  return op === "notContains" ? holds : (op === "contains" || op === "matches") && !holds;
}

function compileSubject({ source, property = "" }: Assertion): Subject {
  switch (source) {
    case "latency":
      return ({ latencyMs }) => ({ value: latencyMs });
    case "body":
      return ({ text }) => ({ value: text });
    case "header": {
      const name = property.toLowerCase();
      return ({ headers }) => {
        // Ignore inherited properties such as `constructor`.
        const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
        return { value: value === undefined ? value : utf8Of(Array.isArray(value) ? value.join(", ") : value) };
      };
    }
    case "json": {
      const path = parseJsonPath(property);
      if ("unread" in path) return () => ({ failure: `${property} is not a path such as $.data.ok` });
      return (facts) => {
        const json = (facts.json ??= readJson(facts.text));
        return "failure" in json ? json : { value: readPath(json.value, path) };
      };
    }
  }
}

function readJson(text: string): NonNullable<ResponseFacts["json"]> {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { failure: notJson };
  }
}

export type ValueToExtract = { source: "json" | "body"; property: string };
/** Extracted values in order; `undefined` where no text, number or boolean was found. */
export type TextValues = (string | undefined)[];

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
// The third argument is ES2026; TypeScript's library does not have it yet.
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Extracts values as texts, or returns the error. Calls `progress` with each index before reading that value. */
export function readValues(
  requested: readonly ValueToExtract[],
  text: string,
  compile: CompileCapture,
  progress: (index: number) => void,
): TextValues | string {
  const paths = requested.flatMap(({ source, property }) => (source === "json" ? [property] : []));
  const found = paths.length === 0 ? [] : readTexts(paths, text);
  if (typeof found === "string") return found;
  const values: TextValues = [];
  for (const [index, { source, property }] of requested.entries()) {
    progress(index);
    const capture = source === "body" ? compile(property) : () => found.shift();
    if (typeof capture !== "function") return faultOfPattern(capture);
    values.push(capture(text));
  }
  return values;
}

/** Extracts JSON values as texts, or returns the error. Numbers keep their spelling: ids may exceed a double. */
export function readTexts(paths: readonly string[], json: string): TextValues | string {
  let whole: unknown;
  try {
    whole = parse(json, (_key, value, { source }) => (typeof value === "number" ? source : value));
  } catch {
    return notJson;
  }
  return paths.map((path) => {
    const steps = parseJsonPath(path);
    const value = "unread" in steps ? undefined : readPath(whole, steps);
    return typeof value === "string" || typeof value === "boolean" ? String(value) : undefined;
  });
}

function compileComparison(op: AssertionOp, expected: string, compile: CompilePattern): Comparison {
  switch (op) {
    case "exists":
      return (actual) => actual !== undefined && actual !== "";
    case "equals":
      return (actual) => isEqual(actual, expected);
    case "notEquals":
      return (actual) => !isEqual(actual, expected);
    case "contains":
      return (actual) => actual !== undefined && textOf(actual).includes(expected);
    case "notContains":
      return (actual) => actual === undefined || !textOf(actual).includes(expected);
    case "lessThan":
      return (actual) => numberOf(actual) < Number(expected);
    case "greaterThan":
      return (actual) => numberOf(actual) > Number(expected);
    case "matches":
      return (actual) => {
        const matches = compile(expected);
        if (typeof matches === "function") return actual !== undefined && matches(textOf(actual));
        return { failure: faultOfPattern(matches) };
      };
  }
}

const faultOfPattern = ({ fault, params }: PatternError) => `The pattern is not valid: ${fill(fault, params)}`;

/** Compares numbers by value (`1.0` equals 1) and everything else as text; JSON null is `null`. */
function isEqual(actual: unknown, expected: string): boolean {
  if (actual === undefined) return false;
  if (typeof actual === "number") return expected.trim() !== "" && actual === Number(expected);
  return textOf(actual) === expected;
}

function numberOf(actual: unknown): number {
  if (typeof actual === "number") return actual;
  return typeof actual === "string" && actual.trim() !== "" ? Number(actual) : Number.NaN;
}

function textOf(actual: unknown): string {
  return typeof actual === "string" ? actual : JSON.stringify(actual);
}

const shown = (value: unknown) => clipText(wholeText(value), maxShownBytes);

function wholeText(value: unknown): string {
  const text = typeof value === "number" ? String(Math.round(value * 1000) / 1000) : textOf(value ?? "");
  return text === "" ? '""' : text;
}

/** Returns the value at a path, or `undefined`. A negative index counts from the end. */
export function readPath(value: unknown, steps: readonly PathStep[]): unknown {
  let present = value;
  for (const next of steps) {
    if (typeof next === "number") {
      if (!Array.isArray(present)) return undefined;
      present = present.at(next);
    } else {
      if (typeof present !== "object" || present === null || Array.isArray(present)) return undefined;
      if (!Object.hasOwn(present, next)) return undefined;
      present = (present as Record<string, unknown>)[next];
    }
  }
  return present;
}
