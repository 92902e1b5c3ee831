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

/** What assertions look at. `text` is there when an assertion needs the body. */
export interface ResponseFacts {
  headers: IncomingHttpHeaders;
  text: string;
  /** The body is longer than the text. */
  isCut?: boolean | undefined;
  latencyMs: number;
  /** The text as JSON, parsed for the first assertion that needs it. */
  json?: { value: unknown } | { fault: string };
}

/** An assertion that is ready to run: answers why it does not hold, or undefined. */
export interface Expectation {
  needsBody: boolean;
  /** The fault if judging it takes too long. */
  lateFault: string;
  fault(facts: ResponseFacts): string | undefined;
}

type Subject = (facts: ResponseFacts) => { value: unknown } | { fault: string };
type Comparison = (actual: unknown) => boolean | { fault: string };

/** Compiles a regular expression, or returns why it is not one. */
export type CompilePattern = (source: string) => ((text: string) => boolean) | PatternError;
/** Compiles what finds the text of a pattern's group, or returns why it is not one. */
type CompileCapture = (source: string) => ((text: string) => string | undefined) | PatternError;

/** Patterns may take seconds to compile and to match: `isHeavy` sends them to a thread, which brings its own compiler. */
const notHere: CompilePattern = () => {
  throw new Error("regular expressions run in a worker thread");
};

/** How much of a body assertions may look at, decoded. */
export const maxTextBytes = 1024 * 1024;
export const bodyTooLarge = `The body is larger than ${maxTextBytes / 1024 / 1024} MiB`;
const notJson = "The body is not valid JSON";
/** Of each part of a sentence, so that the whole of it fits where errors are stored. */
const maxShownBytes = 85;

/** Prepares an assertion. One that can never succeed is refused on saving; an older one reports that in each check. */
export function compileAssertion(assertion: Assertion, compile: CompilePattern = notHere): Expectation {
  const { source, property = "", op, value } = assertion;
  const needsBody = source === "body" || source === "json";
  const subject = compileSubject(assertion);
  const comparison = compileComparison(op, String(value ?? ""), compile);

  // A body may be confidential and is long; a header may be a key. Neither is quoted.
  const isSecret = source === "header" && isSecretHeader(property);
  const isQuoted = !needsBody && !isSecret;
  // What a secret should be, or should not be, may be the secret as well.
  const wanted = isSecret ? secretMask : shown(value);
  const sentence = { source, property: clipText(property, maxShownBytes), op };
  const says = describeAssertion({ ...sentence, value: wanted }, "en-US");
  const sayWith = (ending: AssertionEnding) => says + describeEnding(source, ending, "en-US");
  const sayUnequal = (actual: unknown) => {
    const [expected, found] = clipWhereTheyDiffer(wholeText(value), wholeText(actual), maxShownBytes);
    const ending = describeEnding(source, { kind: "found", found }, "en-US");
    return describeAssertion({ ...sentence, value: expected }, "en-US") + ending;
  };
  return {
    needsBody,
    lateFault: sayWith({ kind: "slow" }),
    fault(facts) {
      try {
        if (facts.isCut === true && source === "json") return bodyTooLarge;
        const found = subject(facts);
        if ("fault" in found) return found.fault;
        const holds = comparison(found.value);
        if (typeof holds === "object") return holds.fault;
        if (facts.isCut === true && isOpen(assertion, holds)) return bodyTooLarge;
        if (holds) return undefined;
        if (source === "header" && found.value === undefined) return sayWith({ kind: "absent" });
        if (isQuoted && op === "equals") return sayUnequal(found.value);
        return isQuoted ? sayWith({ kind: "found", found: shown(found.value) }) : says;
      } catch {
        // What a target sends must not keep it from being judged: JSON may nest too deeply to be written as a text.
        return sayWith({ kind: "incomparable" });
      }
    },
  };
}

/** Whether the rest of a body that was cut off could still decide otherwise. No value is as long as what was read. */
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
        // `constructor` and its like are no header that was sent.
        const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
        return { value: value === undefined ? value : utf8Of(Array.isArray(value) ? value.join(", ") : value) };
      };
    }
    case "json": {
      const path = parseJsonPath(property);
      if ("unread" in path) return () => ({ fault: `${property} is not a path such as $.data.ok` });
      return (facts) => {
        const json = (facts.json ??= readJson(facts.text));
        return "fault" in json ? json : { value: readPath(json.value, path) };
      };
    }
  }
}

function readJson(text: string): NonNullable<ResponseFacts["json"]> {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: notJson };
  }
}

/** A value of a body: at a path of its JSON, or what the group of a pattern matches. */
export type WantedValue = { source: "json" | "body"; property: string };
/** The wanted values in their order; undefined if there is no such text, number or boolean. */
export type TextValues = (string | undefined)[];

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
// The third argument is ES2026, which the compiler's library does not know yet.
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Values of a body as texts, or the fault. Calls `progress` with the index of each before it is read. */
export function readValues(
  wanted: readonly WantedValue[],
  text: string,
  compile: CompileCapture,
  progress: (index: number) => void,
): TextValues | string {
  const paths = wanted.flatMap(({ source, property }) => (source === "json" ? [property] : []));
  const found = paths.length === 0 ? [] : readTexts(paths, text);
  if (typeof found === "string") return found;
  const values: TextValues = [];
  for (const [index, { source, property }] of wanted.entries()) {
    progress(index);
    const capture = source === "body" ? compile(property) : () => found.shift();
    if (typeof capture !== "function") return faultOfPattern(capture);
    values.push(capture(text));
  }
  return values;
}

/** Values of JSON as texts, or the fault. Numbers are as they were written: an identifier may be larger than a number can be. */
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

function compileComparison(op: AssertionOp, wanted: string, compile: CompilePattern): Comparison {
  switch (op) {
    case "exists":
      return (actual) => actual !== undefined && actual !== "";
    case "equals":
      return (actual) => isEqual(actual, wanted);
    case "notEquals":
      return (actual) => !isEqual(actual, wanted);
    case "contains":
      return (actual) => actual !== undefined && textOf(actual).includes(wanted);
    case "notContains":
      return (actual) => actual === undefined || !textOf(actual).includes(wanted);
    case "lessThan":
      return (actual) => numberOf(actual) < Number(wanted);
    case "greaterThan":
      return (actual) => numberOf(actual) > Number(wanted);
    case "matches":
      return (actual) => {
        const matches = compile(wanted);
        if (typeof matches === "function") return actual !== undefined && matches(textOf(actual));
        return { fault: faultOfPattern(matches) };
      };
  }
}

const faultOfPattern = ({ fault, params }: PatternError) => `The pattern is not valid: ${fill(fault, params)}`;

/** Numbers compare as numbers (`1.0` is 1), everything else by its text; JSON's null is `null`. */
function isEqual(actual: unknown, wanted: string): boolean {
  if (actual === undefined) return false;
  if (typeof actual === "number") return wanted.trim() !== "" && actual === Number(wanted);
  return textOf(actual) === wanted;
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

/** The value that a path names; undefined where it names nothing. A negative index counts from the end. */
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
