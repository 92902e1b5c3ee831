import { failure } from "@sonde/proto/http/envelope";
import type { z } from "zod";
import type { Address } from "./address.ts";
import { failed } from "./terminal.ts";

export type ApiAnswer = { ok: true; body: Record<string, unknown> } | { ok: false; status: number; body: Refused };
export type Refused = z.infer<typeof refused>;
const refused = failure.pick({ message: true, errors: true }).loose();

const answerMs = 120_000;

/** @throws Ending without a response of Sonde */
export async function request(
  { url, key }: Address,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<ApiAnswer> {
  let response;
  let text;
  try {
    response = await fetch(url + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(answerMs),
      headers: {
        Accept: "application/json",
        "Accept-Language": "en-US",
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    throw failed(`${url} does not respond${fetchFailure(error)}`);
  }
  if (response.status >= 300 && response.status < 400)
    throw failed(
      `${url} redirects to ${response.headers.get("Location") ?? "no address"}: set SONDE_URL to that address`,
    );
  const answer = parseJson(text);
  if (response.ok && typeof answer === "object" && answer !== null)
    return { ok: true, body: answer as Record<string, unknown> };
  const { data } = refused.safeParse(answer);
  if (data === undefined) throw failed(`${url} does not look like a Sonde server (status ${response.status})`);
  if (response.status === 401) throw failed(`${url} rejected the key: ${data.message}`);
  return { ok: false, status: response.status, body: data };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the name could not be resolved",
  ECONNRESET: "connection reset",
  CERT_HAS_EXPIRED: "certificate expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate not trusted; set NODE_EXTRA_CA_CERTS to a file with its CA",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate not trusted; set NODE_EXTRA_CA_CERTS to a file with its CA",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate not trusted; set NODE_EXTRA_CA_CERTS to a file with its CA",
};

/** The reason why `fetch` rejected, as ` (…)`, or "". */
export function fetchFailure(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return " in time";
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" ? ` (${reasons[cause.code] ?? cause.code})` : "";
}
