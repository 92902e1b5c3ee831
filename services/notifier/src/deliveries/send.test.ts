import { createLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AnyChannel, SendOutcome } from "../channels/channel.ts";
import { type OutgoingRequests, EgressError } from "@sonde/kit/egress/requests";
import { hardStopMs, send, sendMs } from "./attempt.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const failing = (fault: EgressError): OutgoingRequests => ({
  request: () => Promise.reject(fault),
  addressOf: (host) => Promise.resolve(host),
});
let lines: string[] = [];
const log = createLog("test", "info", { write: (line) => void lines.push(line) });
const silent: OutgoingRequests = { request: () => new Promise(() => {}), addressOf: (host) => Promise.resolve(host) };
/** Sends by a channel that does this and nothing else. */
const sendBy = (sending: AnyChannel["send"], egress = silent) => {
  const type: AnyChannel = { type: "slack", reader: "people", budgets: () => [], compose: () => "", send: sending };
  const channel = { type, typeName: type.type, config: {}, secrets: ["canary-token"] };
  return send({ egress, clock: systemClock, log }, channel, { key: "k" }, "body");
};
const request = { method: "POST", url: "https://example.com/", body: "" } as const;
/** As channel types do it: a failure is an outcome. */
const asking: AnyChannel["send"] = ({ egress, signal }) =>
  egress.request({ ...request, signal }).then(
    ({ statusCode }): SendOutcome => ({ outcome: "delivered", statusCode, answer: "" }),
    ({ message }: Error): SendOutcome => ({ outcome: "retry", answer: message }),
  );

test("a provider has fifteen seconds: then the channel is told to stop", async () => {
  let isStopped = false;
  const sent = sendBy(
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          isStopped = true;
          resolve({ outcome: "retry", answer: "stopped" });
        });
      }),
  );
  await vi.advanceTimersByTimeAsync(sendMs - 1);
  expect(isStopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await sent).toMatchObject({ outcome: { answer: "stopped" } });
});

test("a channel that does not heed that is left behind a second later, in doubt", async () => {
  const sent = sendBy(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(sendMs + hardStopMs);
  expect(await sent).toEqual({ outcome: { outcome: "retry", answer: "The provider took too long" }, inDoubt: true });
});

test.each<[string, EgressError, boolean]>([
  ["that was written and not answered is", new EgressError("timeout", "no answer", true), true],
  ["that never left is not", new EgressError("connect", "refused"), false],
])("a request %s in doubt", async (_name, fault, inDoubt) => {
  expect(await sendBy(asking, failing(fault))).toEqual({
    outcome: { outcome: "retry", answer: fault.message },
    inDoubt,
  });
});

test("what the provider answered is in no doubt, whatever a request before it met", async () => {
  const retried: AnyChannel["send"] = async (sending) => {
    await asking(sending);
    return { outcome: "retry", statusCode: 503, answer: "busy" };
  };
  const { inDoubt } = await sendBy(retried, failing(new EgressError("timeout", "no answer", true)));
  expect(inDoubt).toBe(false);
});

test("a fault of the channel's own code is tried again, may have been sent, and tells the log no secret", async () => {
  lines = [];
  const fault = Object.assign(new TypeError("Invalid URL: canary-token"), { input: "https://x/canary-token" });
  const { outcome, inDoubt } = await sendBy(() => Promise.reject(fault));
  expect(lines.join("")).toContain("Invalid URL");
  expect(lines.join("")).not.toContain("canary");
  expect(outcome).toEqual({ outcome: "retry", answer: "Sonde failed while it sent this message" });
  expect(inDoubt).toBe(true);
});
