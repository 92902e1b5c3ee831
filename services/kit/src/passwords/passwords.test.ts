import { parseOptions } from "@node-rs/argon2";
import { expect, test } from "vitest";
import { createPasswords, type Hashing } from "./passwords.ts";

const passwords = await createPasswords("auth");
const inTurn = <Result>(work: (hashing: Hashing) => Promise<Result>) => passwords.inTurn("test", work);

test("a password is hashed with argon2id and its own salt, and verified", async () => {
  const [first, second] = await inTurn(async ({ hash }) => [await hash("correct horse"), await hash("correct horse")]);
  expect(first).toMatch(/^\$argon2id\$/);
  expect(parseOptions(first ?? "")).toMatchObject({ memoryCost: 19_456, timeCost: 2 });
  expect(first).not.toBe(second);
  expect(await inTurn(({ verify }) => verify(first ?? "", "correct horse"))).toBe(true);
  expect(await inTurn(({ verify }) => verify(first ?? "", "correct horsf"))).toBe(false);
});

test("the password of a missing user never matches", async () => {
  expect(await inTurn(({ verify }) => verify(null, ""))).toBe(false);
});
