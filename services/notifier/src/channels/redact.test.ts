import { secretMask } from "@sonde/proto/http/secrets";
import { expect, test } from "vitest";
import { redact, secretTexts } from "./redact.ts";

const token = "123456789:AAF-canary_canary_canary_canary1";
const telegram = secretTexts("telegram", { botToken: token, chatId: "-100", apiBaseUrl: "https://api.telegram.org" });
const slack = secretTexts("slack", { webhookUrl: "https://hooks.slack.com/services/T0000/B0000/canarycanary" });

test("removes a token anywhere in the text, also URL-encoded", () => {
  const said = `no bot at https://api.telegram.org/bot${token}/sendMessage or bot${encodeURIComponent(token)}`;
  const readBack = redact(said, telegram);
  expect(readBack).not.toContain("canary");
  expect(readBack).toContain(`bot${secretMask}/sendMessage`);
});

test.each([
  "POST https://hooks.slack.com/services/T0000/B0000/canarycanary failed",
  "no route for /services/T0000/B0000/canarycanary",
  "unknown hook canarycanary",
])("removes a secret address, and its parts after the host: %s", (said) => {
  expect(redact(said, slack)).not.toContain("canary");
});

test("removes a key in an address's query, but not the host", () => {
  const wecom = secretTexts("wecom", {
    webhookUrl: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=canary-693a91f6",
  });
  expect(redact("invalid webhook url, key=canary-693a91f6, from qyapi.weixin.qq.com", wecom)).toBe(
    `invalid webhook url, key=${secretMask}, from qyapi.weixin.qq.com`,
  );
});

test("removes secret headers and the parts of a plain webhook address", () => {
  const secrets = secretTexts("webhook", {
    url: "https://user:canary-pw@example.com/hooks/canary-hook",
    headers: [{ name: "X-Token", value: "canary-header" }],
    secret: "canary-secret",
  });
  for (const secret of ["canary-pw", "canary-hook", "canary-header", "canary-secret"]) {
    expect(redact(`echo ${secret}`, secrets)).not.toContain(secret);
  }
});

test("leaves no part of a secret that was or is cut off", () => {
  expect(redact(`sent to ${token.slice(0, 20)}…`, telegram)).toBe(`sent to ${secretMask}…`);
  expect(redact(`${"x".repeat(180)}${token}`, telegram)).not.toContain(token.slice(0, 4));
});

test("returns one line of at most 200 characters, cut between characters", () => {
  expect(redact("bad\r\nrequest\u0000", [])).toBe("bad request");
  const family = "👨‍👩‍👧‍👦";
  const readBack = redact(family.repeat(100), []);
  expect(readBack.length).toBeLessThanOrEqual(200);
  expect(readBack.replaceAll(family, "")).toBe("…");
  expect(redact("x".repeat(200), [])).toBe("x".repeat(200));
  expect(redact("x".repeat(201), [])).toBe(`${"x".repeat(199)}…`);
  expect(redact("\ud800", []).isWellFormed()).toBe(true);
});

test("keeps text that is not secret", () => {
  expect(redact("Bad Request: chat not found", telegram)).toBe("Bad Request: chat not found");
});
