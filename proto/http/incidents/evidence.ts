import * as z from "zod";
import { instant } from "../envelope.ts";

/** Bounds of evidence, in bytes of UTF-8; `headers` and `addresses` in number. */
export const evidenceBounds = {
  line: 200,
  headers: 40,
  headerName: 100,
  headerValue: 512,
  /** Of all headers together, names included. */
  headerBytes: 4096,
  body: 2048,
  expected: 512,
  addresses: 20,
  /** Of a name in a certificate, or of what is wrong with it. */
  name: 300,
} as const;

/** Characters are never more than bytes. */
const { line, headers, headerName, headerValue, body, expected, addresses, name } = evidenceBounds;
const text = (maxBytes: number) => z.string().max(maxBytes);

/** What a failed check found, as a runner sends it and metrics keeps it: bounded, and without secrets. */
export const storedEvidence = z.object({
  status: z
    .object({ code: z.int(), line: text(line).optional().meta({ description: "The status line of HTTP/1.1." }) })
    .optional(),
  headers: z
    .array(z.object({ name: text(headerName), value: text(headerValue) }))
    .max(headers)
    .optional()
    .meta({ description: "Of the response, the first 40 and 4 KiB of them; secret values are masked." }),
  body: text(body).optional().meta({
    description: "The first 2 KiB of what the target answered, where that is text; only for those who may write.",
  }),
  expected: text(expected).optional().meta({ description: "What the monitor expects, one line for each condition." }),
  addresses: z
    .array(text(headerName))
    .max(addresses)
    .optional()
    .meta({ description: "The addresses that were tried." }),
  certificate: z
    .object({
      subject: text(name),
      issuer: text(name),
      validFrom: instant,
      validTo: instant,
      problem: text(name).optional(),
    })
    .optional()
    .meta({ description: "Where TLS failed, and the server showed one." }),
  steps: z
    .array(z.object({ name: text(name).optional(), status: z.int().optional(), ms: z.number() }))
    .max(10)
    .optional()
    .meta({ description: "Of a flow: the steps that were carried out, the one that failed last." }),
});
export type StoredEvidence = z.infer<typeof storedEvidence>;

/** The same with the start of the check, and the location from which it ran. */
export const evidence = z.object({ at: instant, location: z.string(), ...storedEvidence.shape });
export type Evidence = z.infer<typeof evidence>;
