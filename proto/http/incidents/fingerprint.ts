import * as z from "zod";
import { instant } from "../envelope.ts";
import { timings } from "../monitors/checks.ts";

/** Limits of a fingerprint; texts in UTF-8 bytes. */
export const fingerprintBounds = { addresses: 8, names: 8, redirects: 10, text: 200 } as const;

const text = z.string().max(fingerprintBounds.text);

/** What a check saw of its target, without secrets; at most 8 KiB as JSON. Facts that its kind lacks are absent. */
export const fingerprint = z.object({
  at: instant,
  status: z.int().optional(),
  addresses: z.array(text).max(fingerprintBounds.addresses).optional().meta({ description: "Sorted." }),
  names: z
    .array(text)
    .max(fingerprintBounds.names)
    .optional()
    .meta({ description: "CNAME chain, in order; empty if the name has none." }),
  certificate: z.object({ serial: text, issuer: text }).optional(),
  redirects: z
    .array(text)
    .max(fingerprintBounds.redirects)
    .optional()
    .meta({ description: "URLs of the hops, in order, without query strings." }),
  server: text.optional().meta({ description: "The `Server` header." }),
  resolver: text
    .optional()
    .meta({ description: "Name servers, separated by commas; which of them responded is unknown." }),
  proxy: text.optional().meta({ description: "Host and port of the monitor's proxy." }),
  timings: timings.optional(),
  bodyBytes: z.int().optional(),
  bodyHash: text.optional().meta({ description: "For comparing bodies; not cryptographic." }),
});
export type Fingerprint = z.infer<typeof fingerprint>;
