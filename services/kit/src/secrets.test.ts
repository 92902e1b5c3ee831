import { randomBytes } from "node:crypto";
import { keyNames } from "@sonde/proto/services";
import { expect, test } from "vitest";
import { deriveKeys, variableOfKey } from "./secret-keys.ts";
import { FormerSealError, secretBox, secretContexts } from "./secrets.ts";

const key = () => randomBytes(32).toString("base64");
const { check, channel, acknowledgeLink, confirmation, unsubscription } = secretContexts;

test("sealed text can be opened, and no two seals are equal", () => {
  const box = secretBox(deriveKeys(key()));
  const sealed = box.seal("Bearer gräfin", check);
  expect(sealed).not.toContain("Bearer");
  expect(box.seal("Bearer gräfin", check)).not.toBe(sealed);
  expect(box.open(sealed, check)).toBe("Bearer gräfin");
  expect(box.open(box.seal("", check), check)).toBe("");
});

test("text does not open with another key, in another context, or after a change", () => {
  const box = secretBox(deriveKeys(key()));
  const sealed = box.seal("hunter2", check);
  const changed = sealed.slice(0, 10) + (sealed[10] === "A" ? "B" : "A") + sealed.slice(11);
  expect(() => secretBox(deriveKeys(key())).open(sealed, check)).toThrow();
  expect(() => box.open(sealed, channel)).toThrow();
  expect(() => box.open(sealed.slice(0, 20), check)).toThrow();
  expect(() => box.open("hunter2", check)).toThrow("not a sealed secret");
  expect(() => box.open(changed, check)).toThrow();
});

test("a box only seals and opens for the contexts of its keys", () => {
  const keys = deriveKeys(key());
  expect(new Set(Object.values(keys)).size).toBe(keyNames.length);
  const runner = secretBox({ SONDE_KEY_CHECK: keys.SONDE_KEY_CHECK });
  const sealed = secretBox(keys).seal("canary", channel);
  expect(runner.open(secretBox(keys).seal("canary", check), check)).toBe("canary");
  expect(() => runner.open(sealed, channel)).toThrow("SONDE_KEY_CHANNEL is not set");
  expect(() => runner.token(randomBytes(32), confirmation)).toThrow("SONDE_KEY_CONFIRMATION is not set");
  // Keys of other contexts do not open it either.
  for (const other of Object.values(keys).filter((value) => value !== keys.SONDE_KEY_CHANNEL)) {
    expect(() => secretBox({ SONDE_KEY_CHANNEL: other }).open(sealed, channel)).toThrow();
  }
});

test("a token depends on key, salt and context", () => {
  const [secret, salt] = [deriveKeys(key()), randomBytes(16)];
  const token = secretBox(secret).token(salt, unsubscription);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(secretBox(secret).token(salt, unsubscription)).toBe(token);
  const others = [
    secretBox(deriveKeys(key())).token(salt, unsubscription),
    secretBox(secret).token(randomBytes(16), unsubscription),
    secretBox(secret).token(salt, confirmation),
  ];
  expect(new Set([token, ...others]).size).toBe(4);
});

test("the first of several keys seals and all open, until the old one is removed", () => {
  const [before, after] = [key(), key()];
  const old = secretBox(deriveKeys(before));
  const both = secretBox(deriveKeys(`${after},${before}`));
  const sealed = old.seal("canary", check);
  expect([both.open(sealed, check), both.isCurrent(sealed, check)]).toEqual(["canary", false]);
  const again = both.seal("canary", check);
  expect(both.isCurrent(again, check)).toBe(true);
  expect(secretBox(deriveKeys(after)).open(again, check)).toBe("canary");
  expect(() => old.open(again, check)).toThrow();
  const salt = randomBytes(32);
  expect(both.token(salt, confirmation)).toBe(secretBox(deriveKeys(after)).token(salt, confirmation));
});

/** Secrets sealed by version 0.1.0 with this key. */
const former = {
  key: Buffer.alloc(32, 7).toString("base64"),
  check: "v1.XN6mTXDDzqWAQM2Nt6eykwtuOrwr-_wXjyry_GVi_4UaaA",
  link: "v1.Sd6dH1vIYWmXMXm5bLlBeIm7AQBaLhbyVvWF0pnpi3hSCnf7deYzI0audigClrXGAwvj_l5WIj-WTYUUr9PQ61fqlv2iTlYucsf30YzETJCwS0h12QcLXo8",
  salt: Buffer.alloc(32, 1),
  confirmation: "l2re_8xZ6ROK5uOaDU__3cQbxqGgcvpSPojqRd1JfqE",
  unsubscription: "XFjKpSimufcc65E6i6nlau67RYP6Vca06loaxqRfUN0",
};

test("secrets of version 0.1.0 open only with its key and in their context, and should be resealed", () => {
  const { SONDE_KEY_V1, ...keys } = deriveKeys(former.key);
  const box = secretBox({ ...keys, SONDE_KEY_V1 });
  expect(box.open(former.check, check)).toBe("canary");
  expect(JSON.parse(box.open(former.link, acknowledgeLink))).toMatchObject({ incidentId: "m1" });
  expect(box.isCurrent(former.check, check)).toBe(false);
  expect(() => box.open(former.check, channel)).toThrow();
  expect(() => secretBox(keys).open(former.check, check)).toThrow(FormerSealError);
  const rotated = secretBox(deriveKeys(`${key()},${former.key}`));
  expect(rotated.open(former.check, check)).toBe("canary");
});

test("tokens are the same as in mails of version 0.1.0", () => {
  const box = secretBox(deriveKeys(former.key));
  expect(box.token(former.salt, confirmation)).toBe(former.confirmation);
  expect(box.token(former.salt, unsubscription)).toBe(former.unsubscription);
});

test("a key that is not 32 bytes is rejected at any place of a list", () => {
  expect(() => deriveKeys("short")).toThrow("SONDE_SECRET_KEY");
  expect(() => deriveKeys(`${key()},`)).toThrow("SONDE_SECRET_KEY");
  for (const name of keyNames) {
    expect(() => secretBox({ [variableOfKey(name)]: `${key()},short` })).toThrow(variableOfKey(name));
  }
});
