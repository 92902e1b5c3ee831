import type { SendOutcome, SendInput } from "./channel.ts";
import { EgressError, type HttpAnswer, type HttpRequest } from "@sonde/kit/egress/requests";
import { cut } from "./text.ts";

const maxAnswer = 200;

/**
 * Sends one request and reads its response. A failure is an outcome too.
 * @param read maps the response to an outcome
 */
export async function requestProvider(
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

/**
 * Posts the composed body as JSON.
 * @param fields what is added to it: keys and recipients, which are not stored with a message
 */
export function post(
  sending: Pick<SendInput<unknown>, "egress" | "signal" | "body">,
  url: string,
  read: (answer: HttpAnswer) => SendOutcome,
  { fields, headers = {} }: { fields?: object; headers?: Record<string, string> } = {},
): Promise<SendOutcome> {
  const body =
    fields === undefined ? sending.body : JSON.stringify({ ...fields, ...(JSON.parse(sending.body) as object) });
  return requestProvider(sending, { method: "POST", url, headers: { ...jsonHeaders, ...headers }, body }, read);
}

export const postForm = (
  sending: Pick<SendInput<unknown>, "egress" | "signal">,
  url: string,
  form: Record<string, string>,
  login: { authorization: string },
  read: (answer: HttpAnswer) => SendOutcome,
): Promise<SendOutcome> => {
  const headers = { "content-type": "application/x-www-form-urlencoded", ...login };
  return requestProvider(sending, { method: "POST", url, headers, body: new URLSearchParams(form).toString() }, read);
};

/** The outcome of a request without an answer: it is tried again, but not where the guard refuses the address. */
export function faultOutcome(error: unknown): SendOutcome {
  if (!(error instanceof EgressError)) throw error;
  const answer = answerText(error.message);
  return error.kind === "blocked" ? { outcome: "broken", answer } : { outcome: "retry", answer };
}

/**
 * The default meaning of a response: no success without its proof; a moved address and refused credentials break the
 * channel; rate limits and the provider's own faults are retried; all else is this message's fault.
 * @param isBroken the response says that the channel is refused, whatever its status
 */
export function byStatus(answer: HttpAnswer, text: string = answer.text, isBroken = false): SendOutcome {
  const { statusCode } = answer;
  const told = { statusCode, answer: answerText(text) || `HTTP ${statusCode}` };
  if (isBroken) return { ...told, outcome: "broken" };
  if (statusCode === 429) return throttledOutcome(answer, text);
  if (statusCode < 300 || statusCode >= 500 || statusCode === 408 || statusCode === 425) {
    return { ...told, outcome: "retry", afterMs: answerRetryAfterMs(answer) };
  }
  if (statusCode < 400 || [401, 403, 404, 405, 410].includes(statusCode)) return { ...told, outcome: "broken" };
  return { ...told, outcome: "refused" };
}

/** Delivered, where the answer has the proof of it: the id of the message. */
export function deliveredAs(
  { statusCode }: HttpAnswer,
  id: unknown,
  isTaken = statusCode === 200,
): SendOutcome | undefined {
  const reference = isTaken ? idIn(id) : undefined;
  return reference === undefined ? undefined : { statusCode, outcome: "delivered", answer: "ok", reference };
}

/** What the codes of a robot mean; those that are not known are retried. */
type RobotCodes = {
  tooFast: ReadonlySet<number>;
  /** The robot, its group or its token was deleted. */
  gone: ReadonlySet<number>;
  /** Its settings refuse us. */
  refusing?: ReadonlySet<number>;
  /** This message is at fault. */
  thisMessage: ReadonlySet<number>;
};

/** The outcome by a robot's code: all its refusals have status 200. `afterMs`: the delay of those that were too fast. */
export function byCode(
  answer: HttpAnswer,
  code: number,
  text: string,
  { tooFast, gone, refusing, thisMessage }: RobotCodes,
  afterMs: number,
): SendOutcome {
  const told = { statusCode: answer.statusCode, answer: answerText(text) };
  if (code === 0) return { ...told, outcome: "delivered" };
  if (tooFast.has(code)) return throttledOutcome(answer, text, afterMs);
  if (gone.has(code)) return { ...told, outcome: "broken", dead: true };
  if (refusing?.has(code)) return { ...told, outcome: "broken" };
  return { ...told, outcome: thisMessage.has(code) ? "refused" : "retry" };
}

/** The provider's rate limit was exceeded. `afterMs`: the delay in its body. */
export function throttledOutcome(
  answer: HttpAnswer,
  text: string = answer.text,
  afterMs = answerRetryAfterMs(answer),
): SendOutcome {
  const told = { statusCode: answer.statusCode, answer: answerText(text) || `HTTP ${answer.statusCode}` };
  return { ...told, outcome: "retry", throttled: true, afterMs };
}

/** Parses Retry-After (RFC 9110 §10.2.3): seconds, which some providers send with decimals, or a date. */
export function answerRetryAfterMs({ headers }: HttpAnswer, nowMs = Date.now()): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

export const answerText = (text: string): string => cut(onOneLine(text.slice(0, 4 * maxAnswer)), maxAnswer);

const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** The body as a JSON object; empty if it is not one. */
export function jsonOf({ text }: HttpAnswer): Record<string, unknown> {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}

/** A part of it that is an object; empty if it is none. */
export const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** The texts among some values of a response: `code: what it means`. */
export const textsIn = (...values: unknown[]): string =>
  values
    .map(textIn)
    .filter((text) => text !== "")
    .join(": ");

/** An id of a response, a text or a number; undefined if it is neither. */
export function idIn(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || Number.isSafeInteger(value) ? String(value) : undefined;
}

export const below = (base: string, path: string): string => `${base.replace(/\/+$/, "")}${path}`;

/** A parameter of an address by which a provider counts; the whole address where it has none. */
export const parameterOf = (url: string, name: string): string =>
  (URL.canParse(url) && new URL(url).searchParams.get(name)) || url;

export const jsonHeaders = { "content-type": "application/json" };

/** The header of a login by name and password (RFC 7617). */
export const basicAuth = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
});
