import { clipText } from "@sonde/kit/clip";
import type { NameOrigin } from "@sonde/kit/egress/resolver";
import { tenths } from "@sonde/kit/figures";
import { type Fingerprint, fingerprintBounds as bounds } from "@sonde/proto/http/incidents/fingerprint";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import type { IncomingHttpHeaders } from "node:http";
import { secretsIn, type Sighting } from "./evidence.ts";
import { originOf } from "./http/request.ts";
import { type Mask, maskOf } from "./masks.ts";
import { utf8Of } from "./texts.ts";
import { issuerOf } from "./tls/errors.ts";
import type { EvidenceTarget, Traces } from "./traces.ts";

/** @param about what to mask; called only if masking cannot wait until the fingerprint is needed */
export function tracesOf(seen: Sighting, timings: Timings, about: () => EvidenceTarget): Traces {
  const { head, certificate, redirects, digest, secrets } = seen;
  const sent = head?.headers["server"];
  const server = typeof sent === "string" ? sent : undefined;
  // The response's own secrets and long texts are not kept.
  const isMaskedNow =
    redirects !== undefined ||
    (head !== undefined &&
      server !== undefined &&
      (secrets === undefined || server.length > bounds.text || hasSecret(head.headers)));
  const mask = isMaskedNow ? maskFor(about(), secretsIn(head?.headers ?? {})) : undefined;
  return {
    host: seen.host,
    addresses: seen.resolver === undefined ? seen.addresses : undefined,
    proxy: seen.proxy,
    resolver: seen.resolver,
    serial: certificate?.serialNumber,
    issuer: certificate && issuerOf(certificate),
    redirects: mask && redirects?.map((hop) => textOf(`${originOf(hop)}${hop.path.split("?", 1)[0]}`, mask)),
    server: mask && server !== undefined ? textOf(utf8Of(server), mask) : server,
    status: head?.statusCode,
    digest: digest?.isWhole === true ? digest : undefined,
    timings,
    secrets: mask === undefined && server !== undefined ? secrets : undefined,
  };
}

/** `secretsIn` takes four times as long. */
function hasSecret(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (isSecretHeader(name)) return true;
  return false;
}

const textOf = (text: string, mask: Mask) => clipText(mask(text, bounds.text), bounds.text);
const maskFor = ({ headers = [], assertions = [], passwords }: EvidenceTarget, found: readonly string[] = []) =>
  maskOf(headers, assertions, found, passwords);

/** @param origin of the name, if it was looked up */
export function fingerprintOf(traces: Traces, atMs: number, origin?: NameOrigin): Fingerprint {
  const {
    addresses,
    proxy,
    resolver = origin?.servers,
    serial,
    issuer,
    redirects,
    server,
    status,
    digest,
    timings,
    secrets,
  } = traces;
  return {
    at: new Date(atMs).toISOString(),
    addresses: addresses?.toSorted().slice(0, bounds.addresses),
    names: origin?.names?.slice(0, bounds.names).map((name) => clipText(name, bounds.text)),
    resolver: resolver && clipText(resolver, bounds.text),
    proxy: proxy && clipText(proxy, bounds.text),
    certificate: serial === undefined ? undefined : { serial: clipText(serial, bounds.text), issuer: issuer ?? "" },
    redirects: redirects?.slice(0, bounds.redirects),
    server: server === undefined || secrets === undefined ? server : textOf(utf8Of(server), maskFor(secrets)),
    status,
    bodyBytes: digest?.bytes,
    bodyHash: digest?.hash.toString(16).padStart(8, "0"),
    timings: Object.fromEntries(Object.entries(timings).map(([phase, ms]) => [phase, ms && tenths(ms)])) as Timings,
  };
}
