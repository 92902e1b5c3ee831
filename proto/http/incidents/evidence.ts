import * as z from "zod";
import { instant } from "../envelope.ts";
import { fingerprint } from "./fingerprint.ts";

/** Limits of evidence in UTF-8 bytes; `headers` and `addresses` in entries. */
export const evidenceBounds = {
  line: 200,
  headers: 40,
  headerName: 100,
  headerValue: 512,
  /** All headers in total, including names. */
  headerBytes: 4096,
  body: 2048,
  expected: 512,
  addresses: 20,
  /** A name in a certificate, or its error. */
  name: 300,
} as const;

/** A text never has more characters than bytes. */
const { line, headers, headerName, headerValue, body, expected, addresses, name } = evidenceBounds;
const text = (maxBytes: number) => z.string().max(maxBytes);

/** Evidence of a failed check, as sent by a runner and stored by metrics: bounded and without secrets. */
export const storedEvidence = z.object({
  status: z
    .object({ code: z.int(), line: text(line).optional().meta({ description: "Status line (HTTP/1.1 only)." }) })
    .optional(),
  headers: z
    .array(z.object({ name: text(headerName), value: text(headerValue) }))
    .max(headers)
    .optional()
    .meta({ description: "Response headers: at most 40 and 4 KiB in total. Secret values are masked." }),
  body: text(body).optional().meta({
    description: "First 2 KiB of the response body if it is text. Only returned to users and keys that may write.",
  }),
  expected: text(expected).optional().meta({ description: "The monitor's expectations, one per line." }),
  addresses: z.array(text(headerName)).max(addresses).optional().meta({ description: "Addresses that were tried." }),
  certificate: z
    .object({
      subject: text(name),
      issuer: text(name),
      validFrom: instant,
      validTo: instant,
      problem: text(name).optional(),
    })
    .optional()
    .meta({ description: "The server's certificate, if TLS failed and the server sent one." }),
  steps: z
    .array(z.object({ name: text(name).optional(), status: z.int().optional(), ms: z.number() }))
    .max(10)
    .optional()
    .meta({ description: "For flows: the steps that ran; the last one failed." }),
  fingerprint: fingerprint.optional(),
  lastGood: fingerprint.optional().meta({ description: "Fingerprint of the last successful check at this location." }),
});
export type StoredEvidence = z.infer<typeof storedEvidence>;

/** Evidence with the check's start and location. */
export const evidence = z.object({ at: instant, location: z.string(), ...storedEvidence.shape });
export type Evidence = z.infer<typeof evidence>;
