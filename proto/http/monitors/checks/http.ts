import * as z from "zod";
import { type Assertion, assertion } from "../assertions.ts";
import { parseExpectedStatus } from "../expected-status.ts";
import { secretMask } from "../../secrets.ts";
import { textOf } from "../../text.ts";
import {
  connectionFields,
  faultsOfConnection,
  hostsOfConnection,
  keyPairsOfConnection,
  readerOf,
  secretsOfConnection,
} from "./connection.ts";
import { minDaysLeft, verifyTls } from "./fields.ts";
import { kind, type LocatedLiteral, type SecretText } from "./kind.ts";
import { monitorUrl } from "./url.ts";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type HttpMethod = (typeof methods)[number];
export const httpMethod = z.enum(methods);

/** Maximum characters of a request body. */
export const maxBodyLength = 262_144;
export const followRedirects = z.boolean().default(true);

const secretHeader =
  /^(?:(?:proxy-)?authorization|authentication|(?:set-)?cookie|token|apikey|.*-(?:key|apikey|token|secret|password|auth|jwt|signature))$/i;

/** Returns true if a request or response header's value is secret, judged by its name in any case. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name);
}

// The probe sets these from the URL and body; servers would disagree about a second value.
const probeHeaders = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);

/**
 * A header (RFC 9110): a token, and a value of visible characters, spaces and tabs. Masks are only valid for secrets.
 */
export const header = z
  .strictObject({
    name: z
      .string()
      .max(200)
      .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, "This is not a valid header name")
      .refine((name) => !probeHeaders.has(name.toLowerCase()), "The probe sets this header"),
    value: z
      .string()
      .max(8000)
      .refine(
        (value) => value === secretMask || /^(?:[\t\x20-\x7e\x80-\xff]*)$/.test(value),
        "This is not a valid header value",
      )
      .meta({
        pattern: String.raw`^[\t\x20-\x7e\x80-\xff]*$`,
        description: `Secrets are returned as ${secretMask}; sending the mask back keeps the stored value.`,
      })
      .overwrite((value) => value.trim()),
  })
  .refine(({ name, value }) => value !== secretMask || isSecretHeader(name), {
    message: "This is not a valid header value",
    path: ["value"],
  });
export type Header = z.infer<typeof header>;

const expectedStatusMessage = "Enter a status code, class or range, such as 200, 2xx or 200-204,301";
const statusText = z
  .string()
  .trim()
  .max(200)
  .meta({ pattern: String.raw`^\s*[1-5](xx|\d\d(\s*-\s*[1-5]\d\d)?)(\s*,\s*[1-5](xx|\d\d(\s*-\s*[1-5]\d\d)?))*\s*$` });
export const expectedStatus = z
  .union([z.int(expectedStatusMessage).meta({ minimum: 100, maximum: 599 }), statusText], expectedStatusMessage)
  .refine((value) => parseExpectedStatus(value) !== null, expectedStatusMessage)
  // A single code becomes a number, as it was most likely sent.
  .overwrite((value) => (typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value))
  .meta({ description: "Status code, class or range: 200, 2xx, 200-204,301." });

export const assertions = z.array(assertion).max(20, "At most {max} assertions are allowed").default([]);
export const patternsOf = (check: { assertions: readonly Assertion[] }): LocatedLiteral[] =>
  check.assertions.flatMap(({ op, value }, index) =>
    op === "matches" ? [{ path: `assertions.${index}.value`, value: String(value ?? "") }] : [],
  );

export const headers = z.array(header).max(50, "At most {max} headers are allowed").default([]);
export const headersAnswer = z.array(z.object({ name: z.string(), value: z.string() }));
export const secretHeadersOf = (check: { headers: readonly Header[] }): SecretText[] =>
  check.headers.flatMap(({ name }, index) =>
    isSecretHeader(name) ? [{ path: ["headers", index, "value"], name: name.toLowerCase() }] : [],
  );
/** An HTTP request and conditions on its response. */
export const http = kind({
  type: "http",
  fields: {
    url: monitorUrl,
    method: httpMethod.default("GET"),
    expectedStatus: expectedStatus.default(200),
    headers,
    body: textOf({ max: maxBodyLength }).optional(),
    followRedirects,
    verifyTls,
    assertions,
    minDaysLeft: minDaysLeft.optional(),
    ...connectionFields,
  },
  answers: {
    url: z.string(),
    headers: headersAnswer,
    body: z.string().optional(),
  },
  faults: faultsOfConnection,
  target: ({ url }) => url,
  hosts: hostsOfConnection,
  patterns: patternsOf,
  secrets: (check) => [...secretHeadersOf(check), ...secretsOfConnection(check)],
  keyPairs: keyPairsOfConnection,
  audience: readerOf,
  heavy: ["body", "headers", "assertions", "clientCertificate"],
});
