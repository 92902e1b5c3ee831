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
const sendBy = (sending: AnyChannel["send"], egress = silent) => {
  const type: AnyChannel = { type: "slack", reader: "people", budgets: () => [], compose: () => "", send: sending };
  const channel = { type, typeName: type.type, config: {}, secrets: ["canary-token"] };
  return send({ egress, clock: systemClock, log }, channel, { key: "k" }, "body");
};
const request = { method: "POST", url: "https://example.com/", body: "" } as const;
const asking: AnyChannel["send"] = ({ egress, signal }) =>
  egress.request({ ...request, signal }).then(
    ({ statusCode }): SendOutcome => ({ outcome: "delivered", statusCode, answer: "" }),
    ({ message }: Error): SendOutcome => ({ outcome: "retry", answer: message }),
  );

test("aborts a send after fifteen seconds", async () => {
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

test("abandons a channel that ignores the abort a second later, in doubt", async () => {
  const sent = sendBy(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(sendMs + hardStopMs);
  expect(await sent).toEqual({
    outcome: { outcome: "retry", answer: "The provider took too long to respond" },
    inDoubt: true,
  });
});

test.each<[string, EgressError, boolean]>([
  ["was written and got no response is", new EgressError("timeout", "no answer", true), true],
  ["was never written is not", new EgressError("connect", "refused"), false],
])("a request that %s in doubt", async (_name, fault, inDoubt) => {
  expect(await sendBy(asking, failing(fault))).toEqual({
    outcome: { outcome: "retry", answer: fault.message },
    inDoubt,
  });
});

test("a response is not in doubt, even if an earlier request failed", async () => {
  const retried: AnyChannel["send"] = async (sending) => {
    await asking(sending);
    return { outcome: "retry", statusCode: 503, answer: "busy" };
  };
  const { inDoubt } = await sendBy(retried, failing(new EgressError("timeout", "no answer", true)));
  expect(inDoubt).toBe(false);
});

test("an error in the channel's code is retried, is in doubt, and logs no secret", async () => {
  lines = [];
  const fault = Object.assign(new TypeError("Invalid URL: canary-token"), { input: "https://x/canary-token" });
  const { outcome, inDoubt } = await sendBy(() => Promise.reject(fault));
  expect(lines.join("")).toContain("Invalid URL");
  expect(lines.join("")).not.toContain("canary");
  expect(outcome).toEqual({ outcome: "retry", answer: "Sonde failed while sending this message" });
  expect(inDoubt).toBe(true);
});
