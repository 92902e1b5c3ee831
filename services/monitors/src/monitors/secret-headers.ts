import type { FieldFault } from "@sonde/kit/errors";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { isSecretHeader, secretMask } from "@sonde/proto/http/monitors";
import type { StoredHeader } from "./monitor.ts";

/** What was stored before, where there was something. */
export type Before = { url: string; headers: readonly StoredHeader[] };

export type ResolvedHeaders = { headers: StoredHeader[]; faults: FieldFault[] };

const seal = (box: SecretBox, value: string) => box.seal(value, secretContexts.monitorHeader);

/** The header as it is kept where its name says that its value is a secret. */
export function sealHeader(box: SecretBox, { name, value }: { name: string; value: string }): StoredHeader {
  return { name, value: seal(box, value), secret: true };
}

/** Whether a sealed value is this one; what another key sealed is not. */
function opens(box: SecretBox, sealed: string, value: string): boolean {
  try {
    return box.open(sealed, secretContexts.monitorHeader) === value;
  } catch {
    return false;
  }
}

/**
 * Headers as they are kept. A secret's mask stands for the value that is stored under that name, unless the URL's
 * origin changed: then anybody could have the secret sent to a server of their own. Faults carry `headers.N.value`.
 */
export function resolveHeaders(
  box: SecretBox,
  given: readonly { name: string; value: string }[],
  url: string,
  before: Before | null,
): ResolvedHeaders {
  const faults: FieldFault[] = [];
  const moved = before !== null && originOf(before.url) !== originOf(url);
  const left = [...(before?.headers ?? [])];
  /** The stored header of that name; of several, each is taken once, in order. */
  const take = (name: string) => {
    const at = left.findIndex((header) => header.secret && header.name.toLowerCase() === name.toLowerCase());
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const headers = given.map(({ name, value }, index): StoredHeader => {
    const secret = isSecretHeader(name);
    const stored = secret ? take(name) : undefined;
    if (value !== secretMask) {
      if (!secret) return { name, value, secret };
      const same = stored !== undefined && opens(box, stored.value, value);
      return { name, value: same ? stored.value : seal(box, value), secret };
    }
    const path = `headers.${index}.value`;
    if (stored === undefined) faults.push({ path, message: "This secret value is not stored yet: enter it" });
    else if (moved) faults.push({ path, message: "The address changed: enter this secret value anew" });
    return { name, value: stored?.value ?? "", secret };
  });
  return { headers, faults };
}

/** The headers that stay when none were given: as if each was sent back as it was shown. */
export function shownHeaders(headers: readonly StoredHeader[]): { name: string; value: string }[] {
  return headers.map(({ name, value, secret }) => ({ name, value: secret ? secretMask : value }));
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
