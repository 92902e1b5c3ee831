import type { SendOutcome, SendInput } from "./channel.ts";
import { EgressFault, type HttpAnswer, type HttpRequest } from "./egress.ts";
import { cut } from "./text.ts";

const maxAnswer = 200;

/**
 * Sends one request and reads its response. A failure is an outcome too.
 * @param read maps the response to an outcome
 */
export async function exchange(
  { egress, signal }: Pick<SendInput<unknown>, "egress" | "signal">,
  request: Omit<HttpRequest, "signal">,
  read: (answer: HttpAnswer) => SendOutcome,
): Promise<SendOutcome> {
  try {
    return read(await egress.request({ ...request, signal }));
  } catch (error) {
    return faultOutcome(error);
  }
}

/** The outcome of a request without an answer: it is tried again, but not where the guard refuses the address. */
export function faultOutcome(error: unknown): SendOutcome {
  if (!(error instanceof EgressFault)) throw error;
  const answer = words(error.message);
  return error.kind === "blocked" ? { outcome: "broken", answer } : { outcome: "retry", answer };
}

/**
 * The default meaning of a response: no success without its proof; a moved address and refused credentials break the
 * channel; rate limits and the provider's own faults are retried; all else is this message's fault.
 */
export function byStatus(answer: HttpAnswer, text: string = answer.text): SendOutcome {
  const { statusCode } = answer;
  const told = { statusCode, answer: words(text) || `HTTP ${statusCode}` };
  if (statusCode === 429) return throttledOutcome(answer, text);
  if (statusCode < 300 || statusCode >= 500 || statusCode === 408 || statusCode === 425) {
    return { ...told, outcome: "retry", afterMs: retryAfterMs(answer) };
  }
  if (statusCode < 400 || [401, 403, 404, 405, 410].includes(statusCode)) return { ...told, outcome: "broken" };
  return { ...told, outcome: "refused" };
}

/** The provider's rate limit was exceeded. `afterMs`: the delay in its body. */
export function throttledOutcome(
  answer: HttpAnswer,
  text: string = answer.text,
  afterMs = retryAfterMs(answer),
): SendOutcome {
  const told = { statusCode: answer.statusCode, answer: words(text) || `HTTP ${answer.statusCode}` };
  return { ...told, outcome: "retry", throttled: true, afterMs };
}

/** Parses Retry-After (RFC 9110 §10.2.3): seconds, which some providers send with decimals, or a date. */
export function retryAfterMs({ headers }: HttpAnswer, nowMs = Date.now()): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** The provider's words on one line. */
export function words(text: string): string {
  return cut(
    text
      .slice(0, 4 * maxAnswer)
      .replace(/\s+/g, " ")
      .trim(),
    maxAnswer,
  );
}

/** The body as a JSON object; empty if it is not one. */
export function jsonOf({ text }: HttpAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A text of a response; empty if it is not one. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** An id of a response, a text or a number; undefined if it is neither. */
export function idIn(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A path below a configured address. */
export const below = (base: string, path: string): string => `${base.replace(/\/+$/, "")}${path}`;

export const jsonHeaders = { "content-type": "application/json" };
