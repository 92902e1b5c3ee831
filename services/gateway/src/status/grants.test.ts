import { createSecretKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { cookieName, cookieOf, grantOf, newTicket, openGrant, sealGrant } from "./grants.ts";

const nowMs = Date.UTC(2026, 10, 26);
const key = createSecretKey(Buffer.alloc(32, 1));
const other = createSecretKey(Buffer.alloc(32, 2));
const day = 86_400_000;

describe("a grant", () => {
  const sealed = sealGrant("acme", key, grantOf("p", nowMs));

  test("is valid for its page and key, until it expires", () => {
    expect(openGrant("acme", key, sealed, nowMs + 30 * day - 1)).toEqual({
      source: "p",
      expiresAtMs: nowMs + 30 * day,
    });
    expect(openGrant("acme", key, sealed, nowMs + 30 * day)).toBeNull();
    expect(openGrant("other", key, sealed, nowMs)).toBeNull();
    expect(openGrant("acme", other, sealed, nowMs)).toBeNull();
  });

  test.each([
    ["a later end", (text: string) => text.replace(/^\d/, "9")],
    ["another source", (text: string) => text.replace(".p.", ".m.")],
    ["another mac", (text: string) => text.slice(0, -3) + (text.endsWith("AAA") ? "BBB" : "AAA")],
    ["half a mac", (text: string) => text.slice(0, -10)],
    ["a part more", (text: string) => `${text}.x`],
    ["no source", (text: string) => text.replace(".p.", "..")],
    ["nothing", () => ""],
    ["very much", (text: string) => text + "A".repeat(5000)],
  ])("with %s is invalid", (_what, change) => {
    expect(openGrant("acme", key, change(sealed), nowMs)).toBeNull();
  });

  test("expires with its link", () => {
    expect(grantOf("l7", nowMs, nowMs + 5000).expiresAtMs).toBe(nowMs + 5000);
    expect(grantOf("m", nowMs).expiresAtMs).toBe(nowMs + day);
    expect(newTicket(nowMs).expiresAtMs).toBe(nowMs + 60_000);
  });
});

test("a ticket has a unique id, and one from a clock ahead is rejected", () => {
  expect(newTicket(nowMs).source).not.toBe(newTicket(nowMs).source);
  const sealed = sealGrant("acme", key, newTicket(nowMs));
  expect(openGrant("acme", key, sealed, nowMs - 60_000)).not.toBeNull();
  expect(openGrant("acme", key, sealed, nowMs - 60_001)).toBeNull();
});

test("a cookie is found by its full name", () => {
  const name = cookieName("acme", true);
  expect(name).toBe("__Host-sonde-page-acme");
  expect(cookieOf(`x${name}=1; ${name}=a=b ; ${name}=2`, name)).toBe("a=b");
  expect(cookieOf("sonde-page-acme-2=1; sonde-page-acme", "sonde-page-acme")).toBeUndefined();
  expect(cookieOf(undefined, name)).toBeUndefined();
});
