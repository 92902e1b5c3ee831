import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { secretBox } from "./secrets.ts";

const key = () => randomBytes(32).toString("base64");

test("what was sealed opens again, and no two seals are alike", () => {
  const box = secretBox(key());
  const sealed = box.seal("Bearer gräfin", "monitor-header");
  expect(sealed).not.toContain("Bearer");
  expect(box.seal("Bearer gräfin", "monitor-header")).not.toBe(sealed);
  expect(box.open(sealed, "monitor-header")).toBe("Bearer gräfin");
  expect(box.open(box.seal("", "monitor-header"), "monitor-header")).toBe("");
});

test("another key, another context or a changed text does not open", () => {
  const box = secretBox(key());
  const sealed = box.seal("hunter2", "monitor-header");
  const changed = sealed.slice(0, 10) + (sealed[10] === "A" ? "B" : "A") + sealed.slice(11);
  expect(() => secretBox(key()).open(sealed, "monitor-header")).toThrow();
  expect(() => box.open(sealed, "channel")).toThrow();
  expect(() => box.open(sealed.slice(0, 20), "monitor-header")).toThrow();
  expect(() => box.open("hunter2", "monitor-header")).toThrow("not a sealed secret");
  expect(() => box.open(changed, "monitor-header")).toThrow();
});

test("a token is the same for one key, salt and context, and another for each other", () => {
  const [secret, salt] = [key(), randomBytes(16)];
  const token = secretBox(secret).token(salt, "subscription-end");
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(secretBox(secret).token(salt, "subscription-end")).toBe(token);
  const others = [
    secretBox(key()).token(salt, "subscription-end"),
    secretBox(secret).token(randomBytes(16), "subscription-end"),
    secretBox(secret).token(salt, "subscription-confirmation"),
  ];
  expect(new Set([token, ...others]).size).toBe(4);
});

test("a key that is not 32 bytes is refused", () => {
  expect(() => secretBox("short")).toThrow("SONDE_SECRET_KEY");
});
