import { clipLines, clipText } from "@sonde/kit/clip";
import { evidenceBounds as bounds, type StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";
import type { IncomingHttpHeaders } from "node:http";
import type { PeerCertificate } from "node:tls";
import type { Cookies } from "./http/cookies.ts";
import type { Destination } from "./http/request.ts";
import { type Mask, maskOf } from "./masks.ts";
import type { MakeEvidence } from "./probe.ts";
import { utf8Of } from "./texts.ts";
import { issuerOf } from "./tls/errors.ts";
import type { BodyDigest, EvidenceTarget } from "./traces.ts";

/** HTTP/2 has neither `httpVersion` nor `statusMessage`. */
export interface ResponseHead {
  statusCode: number;
  headers: IncomingHttpHeaders;
  httpVersion?: string | undefined;
  statusMessage?: string | undefined;
}

/** What a check received from its target, unbounded and unmasked; with redirects, from the last hop. */
export interface Sighting {
  addresses?: readonly string[];
  /** The host whose addresses these are: the target's or the proxy's. */
  host?: string;
  /** Host and port. */
  proxy?: string | undefined;
  /** Name servers, for a kind that queries them itself; `addresses` are then theirs. */
  resolver?: string;
  /** Destinations of the redirects that were followed. */
  redirects?: Destination[];
  head?: ResponseHead | undefined;
  body?: { chunks: readonly Buffer[]; decode(bytes: Buffer): string } | undefined;
  digest?: BodyDigest | undefined;
  certificate?: PeerCertificate | undefined;
  /** Cookies set along the way; their values must never be shown. */
  cookies?: Cookies;
  /** All secrets that were sent, if they are known without what was received. */
  secrets?: EvidenceTarget;
}

const maxDecodedBytes = 64 * 1024;

/** @param problem the certificate problem, if that is the failure */
export function evidenceOf(seen: Sighting, target: EvidenceTarget, problem?: string): MakeEvidence {
  const { addresses, head, body, certificate } = seen;
  forget(seen);
  return ({ keepBody }) => {
    const { expected, headers = [], assertions = [], passwords } = target;
    const mask = maskOf(headers, assertions, secretsIn(head?.headers ?? {}), passwords);
    return {
      status: head && statusOf(head, mask),
      headers: head && headersOf(head.headers, mask),
      body: keepBody && body !== undefined ? bodyOf(body, mask) : undefined,
      expected: expected === undefined ? undefined : clipLines(mask(expected, bounds.expected), bounds.expected),
      addresses: addresses?.slice(0, bounds.addresses),
      certificate: certificate && problem !== undefined ? certificateOf(certificate, problem) : undefined,
    };
  };
}

/** Releases large data after a check: a closed socket, which may live long, still references it. */
export function forget(seen: Sighting): void {
  seen.certificate = undefined;
  seen.head = undefined;
  seen.body = undefined;
}

function statusOf({ statusCode: code, httpVersion, statusMessage = "" }: ResponseHead, mask: Mask) {
  if (httpVersion === undefined) return { code };
  const line = `HTTP/${httpVersion} ${code} ${mask(utf8Of(statusMessage), bounds.line)}`;
  return { code, line: clipText(line.trim(), bounds.line) };
}

const valuesOf = (values: string | string[] = []) => [values].flat().map(utf8Of);

export const secretsIn = (headers: IncomingHttpHeaders) =>
  Object.entries(headers).flatMap(([name, values]) => (isSecretHeader(name) ? valuesOf(values) : []));

function headersOf(headers: IncomingHttpHeaders, mask: Mask): Header[] {
  const shown: Header[] = [];
  let bytes = 0;
  for (const [sentName, values] of Object.entries(headers).slice(0, bounds.headers)) {
    const text = mask(valuesOf(values).join(", "), bounds.headerValue);
    const name = clipText(mask(sentName, bounds.headerName), bounds.headerName);
    const value = isSecretHeader(sentName) ? secretMask : clipText(text, bounds.headerValue);
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (bytes > bounds.headerBytes) break;
    shown.push({ name, value });
  }
  return shown;
}

function bodyOf({ chunks, decode }: NonNullable<Sighting["body"]>, mask: Mask): string | undefined {
  const text = mask(decode(Buffer.concat(chunks).subarray(0, maxDecodedBytes)), 2 * bounds.body);
  if (!isText(text)) return undefined;
  // Bidirectional control characters would reorder the displayed text.
  const lines = text.replaceAll("\r\n", "\n").replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, " ");
  return clipLines(lines, bounds.body).trim() || undefined;
}

/** Binary content has NUL, or many control or undecodable characters. */
function isText(text: string): boolean {
  const odd = text.match(/(?!\s)\p{Cc}|\ufffd/gu)?.length ?? 0;
  return !text.includes("\0") && odd <= text.length / 10;
}

function certificateOf(certificate: PeerCertificate, problem: string): StoredEvidence["certificate"] {
  const { subject, subjectaltname = "", valid_from: from, valid_to: to } = certificate;
  if (Number.isNaN(Date.parse(from)) || Number.isNaN(Date.parse(to))) return undefined;
  const name = [subject?.CN ?? subjectaltname.slice(0, bounds.name)].flat().join(", ");
  return {
    subject: clipText(name, bounds.name),
    issuer: issuerOf(certificate),
    validFrom: new Date(from).toISOString(),
    validTo: new Date(to).toISOString(),
    problem: clipText(problem, bounds.name),
  };
}
