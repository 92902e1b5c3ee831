import { afterEach, expect, test } from "vitest";
import { testEgress } from "../../testing/egress.ts";
import * as messages from "../../testing/messages.ts";
import { start } from "../../testing/stand-ins/resend.ts";
import { channel } from "../types/resend.ts";

let standIn: Awaited<ReturnType<typeof start>>;
afterEach(() => standIn.stop());

const rest = () => ({ atMs: Date.now(), egress: testEgress, signal: new AbortController().signal });
function deliver(message = messages.message(), changes = {}) {
  const config = { ...standIn.config, ...changes };
  return channel.send({ body: channel.compose(message, config, "id"), config, key: message.key, ...rest() });
}
const sent = () => standIn.accepted.at(-1)?.json as Record<string, unknown>;

test("sends text and HTML to each recipient, marked as automatic", async () => {
  standIn = await start();
  const outcome = await deliver(messages.message(), { to: "ops@example.com, night@example.com" });
  expect(outcome).toMatchObject({ outcome: "delivered", reference: "49a3999c-0ce1-4ea6-ab68-000000000000" });
  expect(sent()).toMatchObject({
    from: "Sonde <alerts@example.com>",
    to: ["ops@example.com", "night@example.com"],
    subject: "Shop API is down",
    headers: { "Auto-Submitted": "auto-generated" },
  });
  expect(Object.keys(sent())).toEqual(expect.arrayContaining(["text", "html"]));
});

test("repeats a mail under the same key and body, even after the channel was edited", async () => {
  standIn = await start();
  const body = channel.compose(messages.message(), standIn.config, undefined);
  standIn.answerNext("drop");
  const send = (changes = {}) =>
    channel.send({ body, config: { ...standIn.config, ...changes }, key: "msg_1", ...rest() });
  expect(await send()).toMatchObject({ outcome: "retry" });
  expect(await send({ to: "other@example.com" })).toMatchObject({ outcome: "delivered" });
  expect(standIn.accepted).toHaveLength(1);
});

test("quotes a sender's name with special characters", async () => {
  standIn = await start();
  await deliver(messages.message(), { from: `Ops, "night" (EU) <alerts@example.com>` });
  expect(sent()["from"]).toBe(String.raw`"Ops, \"night\" (EU)" <alerts@example.com>`);
  await deliver({ ...messages.message(), key: "msg_2" }, { from: "告警 <alerts@example.com>" });
  expect(sent()["from"]).toBe("告警 <alerts@example.com>");
});

test("waits a second if rate limited, and fifteen minutes if the quota is exhausted", async () => {
  standIn = await start();
  standIn.answerNext("throttle", "quota", "concurrent");
  expect(await deliver()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 1000 });
  expect(await deliver()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 900_000 });
  expect(await deliver()).toEqual({
    outcome: "retry",
    statusCode: 409,
    answer: "concurrent_idempotent_requests: Another request with the same idempotency key is in progress",
  });
});
