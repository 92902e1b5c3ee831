import * as z from "zod";
import { wholeNumber } from "../../numbers.ts";
import { secretMask } from "../../secrets.ts";
import type { FieldFault } from "../../reasons/issues.ts";
import { linePattern, textOf, trimmedLine } from "../../text.ts";
import type { SecretText } from "./kind.ts";

/**
 * Normalises a host for dialling: lower case, international names in ASCII, and any spelling of an IPv4 address as four
 * numbers (url.spec.whatwg.org, host parsing). Returns `null` if it is neither a name nor an address.
 */
export function canonicalHost(text: string): string | null {
  if (text === "" || text.length > 255 || /[\s/?#@\\[\]%]/.test(text)) return null;
  const isV6 = text.includes(":");
  const address = isV6 ? `http://[${text}]/` : `http://${text}/`;
  if (!URL.canParse(address)) return null;
  const { hostname } = new URL(address);
  return isV6 ? hostname.slice(1, -1) : hostname || null;
}

/** `host:port`, an IPv6 address in brackets. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A host name or an IP address. */
export const host = trimmedLine()
  .superRefine((text, ctx) => {
    if (text === "") ctx.addIssue({ code: "custom", message: "Host is required" });
    else if (canonicalHost(text) === null) {
      ctx.addIssue({ code: "custom", message: "Please enter a host name or an IP address" });
    }
  })
  .meta({
    description: "A host name or an IP address.",
    anyOf: [{ format: "hostname" }, { format: "ipv4" }, { format: "ipv6" }],
  });

const portMessage = "Enter a port from 1 to 65535";
export const port = z.int(portMessage).min(1, portMessage).max(65_535, portMessage);

/** A certificate or domain that expires within this many days is a failure. */
export const minDaysLeft = wholeNumber(0, 1000, "Enter a whole number of days from 0 to {max}").meta({
  description: "Minimum days until the certificate expires (for `domain`, the domain). Fewer days are DOWN.",
});

export const verifyTls = z.boolean().default(true);
/** Uses TLS, from the start or through the protocol's upgrade. */
export const withTls = z.boolean().default(false).meta({
  description:
    "Uses TLS, started the way the protocol defines. The certificate must be valid unless `verifyTls` is false.",
});
/** Optional TLS. */
export const tlsFields = { tls: withTls, verifyTls, minDaysLeft: minDaysLeft.optional() };

export const checkUsername = trimmedLine()
  .min(1, "Please enter text")
  .max(200)
  .meta({ pattern: linePattern, description: "Account used to log in." });
export const password = textOf({ min: 1, max: 1000 }, { min: "Please enter text" })
  // In line-based protocols, a control character could start another command.
  .refine((text) => !/\p{Cc}/u.test(text), "Control and invisible characters are not allowed")
  .meta({
    pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`,
    description: `Stored encrypted and sent only to this host and port. Returned as ${secretMask}; sending the mask back keeps the stored value.`,
  });

export const passwordOf = ({ password: given }: { password?: unknown }): SecretText[] =>
  given === undefined || given === null ? [] : [{ path: ["password"], name: "password" }];
/** Recipient of a password, so that an editor of the monitor cannot have it sent to another server. */
export const serverOf = (check: { host: string; port: number }): string => hostAndPort(check.host, check.port);

/** A login requires both. */
export const loginFaults = ({
  username: name,
  password: secret,
}: {
  username?: unknown;
  password?: unknown;
}): FieldFault[] =>
  name !== undefined && secret === undefined ? [{ path: "password", message: "A username requires a password" }] : [];
