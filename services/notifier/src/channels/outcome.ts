import type { SendOutcome, SendInput } from "./channel.ts";
import { EgressError, type HttpAnswer, type HttpRequest } from "@sonde/kit/egress/requests";
import { cut } from "./text.ts";

const maxAnswer = 200;

/** Sends one request and maps the response to an outcome with `read`. Connection errors are outcomes too. */
export async function requestProvider(
  { egress, signal }: Pick<SendInput<unknown>, "egress" | "signal">,
  request: Omit<HttpRequest, "signal">,
  read: (answer: HttpAnswer) => SendOutcome,
): Promise<SendOutcome> {
  try {
    return read(await egress.request({ ...request, signal }));
  } catch (error) {
    return errorOutcome(error);
  }
}

/** @param fields added to the body: keys and recipients, which are not stored with a message */
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

/** Outcome of a request without a response: retried, unless the egress guard refuses the address. */
export function errorOutcome(error: unknown): SendOutcome {
  if (!(error instanceof EgressError)) throw error;
  const answer = answerText(error.message);
  return error.kind === "blocked" ? { outcome: "broken", answer } : { outcome: "retry", answer };
}

/**
 * Default meaning of a response without proof of delivery: redirects and refused credentials break the channel, rate
 * limits and server errors are retried, and anything else refuses this message.
 * @param isBroken whether the response shows that the channel is refused, regardless of status
 */
export function byStatus(answer: HttpAnswer, text: string = answer.text, isBroken = false): SendOutcome {
  const { statusCode } = answer;
  const details = { statusCode, answer: answerText(text) || `HTTP ${statusCode}` };
  if (isBroken) return { ...details, outcome: "broken" };
  if (statusCode === 429) return throttledOutcome(answer, text);
  if (statusCode < 300 || statusCode >= 500 || statusCode === 408 || statusCode === 425) {
    return { ...details, outcome: "retry", afterMs: answerRetryAfterMs(answer) };
  }
  if (statusCode < 400 || [401, 403, 404, 405, 410].includes(statusCode)) return { ...details, outcome: "broken" };
  return { ...details, outcome: "refused" };
}

export function deliveredAs(
  { statusCode }: HttpAnswer,
  id: unknown,
  isTaken = statusCode === 200,
): SendOutcome | undefined {
  const reference = isTaken ? idIn(id) : undefined;
  return reference === undefined ? undefined : { statusCode, outcome: "delivered", answer: "ok", reference };
}

/** Meaning of a bot's response codes. Unknown codes are retried. */
type RobotCodes = {
  tooFast: ReadonlySet<number>;
  deleted: ReadonlySet<number>;
  refusing?: ReadonlySet<number>;
  thisMessage: ReadonlySet<number>;
};

/** For bots that refuse with status 200 and a code. `afterMs`: the delay after too many requests. */
export function byCode(
  answer: HttpAnswer,
  code: number,
  text: string,
  { tooFast, deleted, refusing, thisMessage }: RobotCodes,
  afterMs: number,
): SendOutcome {
  const details = { statusCode: answer.statusCode, answer: answerText(text) };
  if (code === 0) return { ...details, outcome: "delivered" };
  if (tooFast.has(code)) return throttledOutcome(answer, text, afterMs);
  if (deleted.has(code)) return { ...details, outcome: "broken", dead: true };
  if (refusing?.has(code)) return { ...details, outcome: "broken" };
  return { ...details, outcome: thisMessage.has(code) ? "refused" : "retry" };
}

export function throttledOutcome(
  answer: HttpAnswer,
  text: string = answer.text,
  afterMs = answerRetryAfterMs(answer),
): SendOutcome {
  const details = { statusCode: answer.statusCode, answer: answerText(text) || `HTTP ${answer.statusCode}` };
  return { ...details, outcome: "retry", throttled: true, afterMs };
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

export function jsonOf({ text }: HttpAnswer): Record<string, unknown> {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}

export const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

export const textsIn = (...values: unknown[]): string =>
  values
    .map(textIn)
    .filter((text) => text !== "")
    .join(": ");

export function idIn(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || Number.isSafeInteger(value) ? String(value) : undefined;
}

export const below = (base: string, path: string): string => `${base.replace(/\/+$/, "")}${path}`;

export const parameterOf = (url: string, name: string): string =>
  (URL.canParse(url) && new URL(url).searchParams.get(name)) || url;

export const jsonHeaders = { "content-type": "application/json" };

/** Basic authentication header (RFC 7617). */
export const basicAuth = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
});
