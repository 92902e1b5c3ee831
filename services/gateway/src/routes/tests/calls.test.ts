import { AppError } from "@sonde/kit/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const path = "/api/calls/reference-of-a-phone-call";
const form = { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": "c2lnbmVk" };
const post = (step: string, body: string) => app.ask("POST", `${path}/${step}`, { body, headers: form });

test("Twilio's form and its signature reach the notifier, and Twilio gets what it says", async () => {
  const answer = await post("key", "Digits=1&Caller=%2B1555+%C3%BC&Digits=2");
  expect([answer.status, answer.text]).toEqual([200, "<Response></Response>"]);
  expect(answer.headers.get("content-type")).toBe("text/xml; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const fields = [
    ["Digits", "1"],
    ["Caller", "+1555 ü"],
    ["Digits", "2"],
  ];
  expect(app.fakes.calls.find(({ method }) => method === "answerCall")?.request).toEqual({
    reference: "reference-of-a-phone-call",
    step: "key",
    form: fields,
    signature: "c2lnbmVk",
  });
});

test("a request without the signature is rejected as the notifier says", async () => {
  app.fakes.refuse("answerCall", new AppError("forbidden", "You are not allowed to do this"));
  expect(await post("answer", "")).toMatchObject({ status: 403, body: { success: false, code: "forbidden" } });
});

test.each([
  ["an unknown step", `${path}/other`, "", 404],
  ["a reference that cannot be one", "/api/calls/7/answer", "", 404],
  ["a form that is too large", `${path}/key`, `Digits=${"1".repeat(17_000)}`, 413],
])("%s never reaches the notifier", async (_name, at, body, status) => {
  expect((await app.ask("POST", at, { body, headers: form })).status).toBe(status);
  expect(app.fakes.calls).toEqual([]);
});

test("only a form is accepted", async () => {
  expect((await app.ask("POST", `${path}/key`, { body: { Digits: "1" } })).status).toBe(400);
});

test("an address gets 600 requests a minute", async () => {
  const statuses = new Set<number>();
  for (let count = 0; count < 601; count += 1) statuses.add((await post("answer", "")).status);
  expect([...statuses]).toEqual([200, 429]);
});
