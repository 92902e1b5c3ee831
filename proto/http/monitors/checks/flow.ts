import * as z from "zod";
import type { FieldFault } from "../../reasons/issues.ts";
import { nameOf, textOf, trimmedLine } from "../../text.ts";
import { checkHeader, checkPath } from "../assertions.ts";
import { minDaysLeft, verifyTls } from "./fields.ts";
import {
  assertions,
  expectedStatus,
  followRedirects,
  headers,
  headersAnswer,
  httpMethod,
  maxBodyLength,
  patternsOf,
  secretHeadersOf,
} from "./http.ts";
import { type Config, kind, type LocatedLiteral, type SecretText } from "./kind.ts";
import { hostOfUrl, originOfUrl, urlOf } from "./url.ts";

const placeholder = /\{\{(\w{1,40})\}\}/g;

/** Returns the placeholder names in a text. */
const namesIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name = ""]) => name);

/** Fills `{{name}}`; placeholders without a value stay. */
export const fillPlaceholders = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replace(placeholder, (whole, name: string) => valueOf(name) ?? whole);

// Everything before the path, as browsers parse it: any number of slashes of either kind.
const beforePath = /^[^/\\?#]*[/\\]*[^/\\?#]*/;
const stepUrl = urlOf(
  trimmedLine().refine((text) => !beforePath.exec(text)?.[0].includes("{{"), {
    message: "Values can be used in the path and query, but not in the scheme, host or port",
    abort: true,
  }),
);

export const extractSources = ["json", "body", "header", "cookie", "status"] as const;
export type ExtractSource = (typeof extractSources)[number];
const cookieName = /^[^\s=;,\p{Cc}]+$/u;
// Quoted, escaped and bracketed parentheses do not open a group; neither do (?: and (?i).
const groupToken = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\\[^]|\[:\w+:\]|[^\]\\])*\]|(\((?!\?)|\(\?P?<)/g;
/** Counts the capturing groups of a regular expression. */
const groupsIn = (source: string): number =>
  [...source.matchAll(groupToken)].filter(([, opening]) => opening !== undefined).length;
const extraction = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z_]\w{0,39}$/, "Use at most 40 letters, digits and underscores, not starting with a digit")
      .meta({ description: "Later steps use the value as {{name}}." }),
    source: z.enum(extractSources),
    property: z.string().max(500).optional().meta({
      description:
        "A path such as $.data.token, a regular expression with one group around the value, or the name of a header or cookie. Required for all sources except status.",
    }),
  })
  .superRefine(({ source, property }, ctx) => {
    if (source === "status") return;
    if (!property) ctx.addIssue({ code: "custom", path: ["property"], message: "This field is required" });
    else if (source === "header") checkHeader(ctx, property);
    else if (source === "json") checkPath(ctx, property);
    else if (source === "cookie" && !cookieName.test(property)) {
      ctx.addIssue({ code: "custom", path: ["property"], message: "This is not a valid cookie name" });
    } else if (source === "body" && groupsIn(property) !== 1) {
      const message = "The regular expression needs exactly one group in parentheses, around the value";
      ctx.addIssue({ code: "custom", path: ["property"], message });
    }
  });
export type Extraction = z.infer<typeof extraction>;

const stepFields = {
  name: nameOf(60).optional(),
  method: httpMethod.default("GET"),
  url: stepUrl,
  headers,
  body: textOf({ max: maxBodyLength }).optional(),
  expectedStatus: expectedStatus.default(200),
  assertions,
  extract: z.array(extraction).max(10, "At most {max} values are allowed").default([]).meta({
    description:
      "Values extracted from the response for later steps: strings, numbers or booleans of at most 4 KiB each.",
  }),
};
const step = z.strictObject(stepFields);
export type FlowStep = z.infer<typeof step>;

/** All steps together are limited to one HTTP check's body and headers. */
const maxTotal = { body: maxBodyLength, headers: 400_000 };

const fields = {
  steps: z
    .array(step)
    .min(1)
    .max(10)
    .meta({ description: "Requests, sent in order. The first failure ends the check." }),
  followRedirects,
  verifyTls,
  minDaysLeft: minDaysLeft.optional(),
};
type Steps = Pick<Config<typeof fields>, "steps">;

const patternsOfValues = ({ extract }: FlowStep): LocatedLiteral[] =>
  extract.flatMap(({ source, property = "" }, n) =>
    source === "body" ? [{ path: `extract.${n}.property`, value: property }] : [],
  );

/** Returns true if a header value contains no secret besides placeholders: `Bearer {{token}}`. */
export const isPlaceholder = (value: string): boolean => /^(?:(?:bearer|basic|token) +)?\{\{\w+\}\}$/i.test(value);

/** Secrets of steps. Each stays with its step when the step is moved, renamed or gets another path. */
const secretsOfSteps = ({ steps }: Steps): SecretText[] =>
  steps.flatMap((one, at) =>
    secretHeadersOf(one).flatMap(({ path, name: kin }) => {
      const own = one.name ?? `${one.method} ${one.url}`.slice(0, 80);
      const isFilled = isPlaceholder(one.headers[Number(path[1])]?.value ?? "");
      return isFilled ? [] : [{ path: ["steps", at, ...path], name: `${own} ${kin}`, kin, audience: originOfUrl(one) }];
    }),
  );

/** Errors: placeholders without an earlier value, duplicate names, and fields that are too long in total. */
function faultsOfSteps({ steps }: Steps): FieldFault[] {
  const known = new Set<string>();
  const names = new Set<string>();
  const length = { body: 0, headers: 0 };
  return steps.flatMap((one, at) => {
    const faults: FieldFault[] = [];
    const fault = (path: string, message: FieldFault["message"], params = {}) =>
      faults.push({ path: `steps.${at}.${path}`, message, params });
    const texts = [
      ["url", one.url],
      ["body", one.body ?? ""],
    ] as [string, string][];
    for (const [path, text] of texts.concat(one.headers.map(({ value }, n) => [`headers.${n}.value`, value]))) {
      const name = namesIn(text).find((each) => !known.has(each));
      if (name !== undefined) fault(path, "No earlier step extracts a value named {name}", { name });
    }
    if (one.name !== undefined && names.has(one.name)) fault("name", "Another step already has this name");
    names.add(one.name ?? "");
    length.body += one.body?.length ?? 0;
    length.headers += JSON.stringify(one.headers).length;
    for (const part of ["body", "headers"] as const) {
      const max = maxTotal[part];
      if (length[part] > max)
        fault(part, "This field is too long across all steps (maximum {max} characters)", { max });
    }
    const own = one.extract.map(({ name }) => name);
    own.forEach((name, n) => {
      if (own.indexOf(name) < n) fault(`extract.${n}.name`, "This step already extracts a value with this name");
      known.add(name);
    });
    return faults;
  });
}

/** HTTP requests in order; later ones can use values from earlier responses. */
export const flow = kind({
  type: "flow",
  fields,
  faults: faultsOfSteps,
  answers: {
    steps: z.array(
      z.object({ ...stepFields, url: z.string(), headers: headersAnswer, body: z.string().optional() }),
    ) as unknown as z.ZodType<FlowStep[]>,
  },
  target: ({ steps }) => steps[0]?.url ?? "",
  hosts: ({ steps }) => steps.flatMap((one, at) => hostOfUrl(one, `steps.${at}.url`)),
  patterns: ({ steps }) =>
    steps.flatMap((one, at) =>
      [...patternsOf(one), ...patternsOfValues(one)].map(({ path, value }) => ({ path: `steps.${at}.${path}`, value })),
    ),
  secrets: secretsOfSteps,
  heavy: ["steps"],
});
