import { clipLines, clipText } from "@sonde/kit/clip";
import { evidenceBounds as bounds, type StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";
import type { IncomingHttpHeaders } from "node:http";
import type { PeerCertificate } from "node:tls";
import type { Cookies } from "./http/cookies.ts";
import { type Mask, maskOf } from "./masks.ts";
import type { MakeEvidence } from "./probe.ts";
import { utf8Of } from "./texts.ts";
import { issuerOf } from "./tls/faults.ts";

/** The beginning of a response; HTTP/2 has neither of the last two. */
export interface ResponseHead {
  statusCode: number;
  headers: IncomingHttpHeaders;
  httpVersion?: string | undefined;
  statusMessage?: string | undefined;
}

/** What a check saw of its target, as it came: neither bounded nor masked. Of several hops, at the last. */
export interface Sighting {
  addresses?: readonly string[];
  head?: ResponseHead | undefined;
  /** What came of a body, and how to read it. */
  body?: { chunks: readonly Buffer[]; decode(bytes: Buffer): string } | undefined;
  certificate?: PeerCertificate | undefined;
  /** Those that were set on the way, which nothing may show. */
  cookies?: Cookies;
}

/** What of a target is masked in its evidence, and what it is expected to do: conditions in the API's words, one a line. */
export interface EvidenceTarget {
  headers?: readonly Header[];
  assertions?: readonly Assertion[];
  passwords?: readonly string[];
  expected?: string | undefined;
}

/** More of a body is not decoded. */
const maxDecodedBytes = 64 * 1024;

/**
 * The evidence of a failed check, made when it is wanted.
 * @param problem what is wrong with the certificate, where that is the failure
 */
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

/** Drops what is large once a check is over: a closed socket, which may live for long, holds it. */
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

const secretsIn = (headers: IncomingHttpHeaders) =>
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

/** The beginning of a body; undefined where it is empty, or no text. */
function bodyOf({ chunks, decode }: NonNullable<Sighting["body"]>, mask: Mask): string | undefined {
  const text = mask(decode(Buffer.concat(chunks).subarray(0, maxDecodedBytes)), 2 * bounds.body);
  if (!isText(text)) return undefined;
  // Marks of direction would show it in another order than it has.
  const lines = text.replaceAll("\r\n", "\n").replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, " ");
  return clipLines(lines, bounds.body).trim() || undefined;
}

/** Bytes that are no text have NUL, or many characters that cannot be decoded. */
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
