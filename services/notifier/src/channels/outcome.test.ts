import { expect, test } from "vitest";
import { below, byStatus, jsonOf, answerRetryAfterMs, answerText } from "./outcome.ts";

const answer = (statusCode: number, text = "", headers = {}) => ({ statusCode, headers, text });

test.each([
  [200, "retry"],
  [301, "broken"],
  [400, "refused"],
  [401, "broken"],
  [403, "broken"],
  [404, "broken"],
  [408, "retry"],
  [410, "broken"],
  [413, "refused"],
  [422, "refused"],
  [429, "retry"],
  [500, "retry"],
  [503, "retry"],
])("without a text of the provider, %i means %s", (statusCode, expected) => {
  expect(byStatus(answer(statusCode))).toMatchObject({ outcome: expected, statusCode, answer: `HTTP ${statusCode}` });
});

test("parses Retry-After as seconds, fractions of them, or a date, and ignores anything else", () => {
  const after = (value: string, nowMs?: number) => answerRetryAfterMs(answer(429, "", { "retry-after": value }), nowMs);
  const now = Date.UTC(2026, 10, 22, 8, 0, 0);
  expect([after("7"), after(" 0.65 "), after("0")]).toEqual([7000, 650, 0]);
  expect(after("Sun, 22 Nov 2026 08:00:30 GMT", now)).toBe(30_000);
  expect(after("Sun, 22 Nov 2026 07:00:00 GMT", now)).toBe(0);
  expect([after(""), after("soon"), after("-")]).toEqual([undefined, undefined, undefined]);
});

test("reduces a provider's text to one line of at most 200 characters", () => {
  expect(answerText("<h1>\n  Bad\r\n\tGateway </h1>")).toBe("<h1> Bad Gateway </h1>");
  expect(answerText("漢".repeat(100_000))).toHaveLength(200);
});

test("treats anything but a JSON object as empty", () => {
  for (const text of ["", "null", "[", "7", '"x"', "<html>"]) expect(jsonOf(answer(200, text))).toEqual({});
});

test("appends a path to an address with or without a trailing slash", () => {
  expect(below("https://h.example/sub//", "/message")).toBe("https://h.example/sub/message");
});
