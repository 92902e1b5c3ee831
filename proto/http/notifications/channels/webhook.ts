import * as z from "zod";
import { header, isSecretHeader } from "../../monitors/checks/http.ts";
import { knownVariablesOnly } from "../templates.ts";
import { textOf } from "../../text.ts";
import { channel, requiredText, hasCredentials, hostAt, noCredentials, originOf, secretUrl } from "./channel.ts";

/** A request to a custom address, signed if it has a secret. */
export const webhook = channel({
  type: "webhook",
  fields: {
    /** Zapier, n8n and similar services accept every request to the address, so it is a secret. */
    url: secretUrl().refine((text) => !hasCredentials(text), noCredentials),
    method: z.enum(["POST", "PUT", "PATCH"]).default("POST"),
    headers: z.array(header).max(20, "At most {max} headers are allowed").default([]),
    /** JSON or any other text with variables; each value is escaped as within a JSON string. */
    bodyTemplate: textOf({ max: 16_384 }).superRefine(knownVariablesOnly).optional(),
    /** `whsec_` and base64 as in Standard Webhooks, or any other text, whose characters are the key. */
    secret: requiredText()
      .refine(
        (text) => !text.startsWith("whsec_") || /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(text),
        "This value is not valid",
      )
      .optional(),
  },
  form: [
    { name: "url", input: "secret", placeholder: "https://example.com/hooks/sonde" },
    { name: "secret", input: "secret" },
    { name: "method", input: "choice", advanced: true },
    { name: "headers", input: "headers", advanced: true },
    { name: "bodyTemplate", input: "lines", placeholder: '{"text": "{{name}}: {{status}}"}', advanced: true },
  ],
  hosts: ({ url }) => hostAt("url", url),
  secrets: ({ url, secret, headers }) => [
    ...(url === undefined ? [] : [{ path: ["url"], name: "url" }]),
    ...(secret === undefined ? [] : [{ path: ["secret"], name: "secret" }]),
    ...headers.flatMap(({ name }, index) =>
      isSecretHeader(name) ? [{ path: ["headers", index, "value"], name: name.toLowerCase() }] : [],
    ),
  ],
  audience: ({ url }) => originOf(url),
});
