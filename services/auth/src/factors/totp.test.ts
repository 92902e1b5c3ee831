import { describe, expect, test } from "vitest";
import { base32, hotp, matchingStep, newTotpSecret, stepAt, stepOutsideTolerance, totpUri } from "./totp.ts";

const secret = Buffer.from("12345678901234567890");

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("at second %i the code matches RFC 6238, appendix B", (seconds, code) => {
  expect(hotp(secret, stepAt(seconds * 1000), 8)).toBe(code);
});

test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("base32 encodes %j as in RFC 4648", (text, encoded) => expect(base32(Buffer.from(text))).toBe(encoded));

describe("a code", () => {
  const nowMs = 1_700_000_010_000;
  const present = stepAt(nowMs);
  const codeAt = (step: number) => hotp(secret, step);

  test.each([-1, 0, 1])("is accepted %i steps from now", (by) => {
    expect(matchingStep(secret, codeAt(present + by), nowMs)).toBe(present + by);
  });
  test.each([-2, 2])("is rejected %i steps from now", (by) => {
    expect(matchingStep(secret, codeAt(present + by), nowMs)).toBeNull();
  });
  test.each([-10, -2, 2, 10])("is recognised as a clock difference %i steps from now", (by) => {
    expect(stepOutsideTolerance(secret, codeAt(present + by), nowMs)).toBe(present + by);
  });
  test("is not a clock difference if it was used, or matches no step within five minutes", () => {
    for (const by of [-11, 11]) expect(stepOutsideTolerance(secret, codeAt(present + by), nowMs)).toBeNull();
    expect(stepOutsideTolerance(secret, codeAt(present - 5), nowMs, present - 5)).toBeNull();
  });
  test("is accepted once, and no earlier one afterwards", () => {
    expect(matchingStep(secret, codeAt(present), nowMs, present)).toBeNull();
    expect(matchingStep(secret, codeAt(present - 1), nowMs, present)).toBeNull();
    expect(matchingStep(secret, codeAt(present + 1), nowMs, present)).toBe(present + 1);
  });
  test("is rejected with another secret or another length", () => {
    const other = newTotpSecret();
    expect(other).toHaveLength(20);
    expect(matchingStep(other, codeAt(present), nowMs)).toBeNull();
    for (const text of ["", "1", `${codeAt(present)}0`]) expect(matchingStep(secret, text, nowMs)).toBeNull();
  });
});

test("the URI for apps has issuer and user without colons", () => {
  expect(totpUri(secret, "Sonde [::1]:8080", "Ängela: x")).toBe(
    "otpauth://totp/Sonde%20%5B-1%5D-8080:%C3%84ngela-%20x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Sonde%20%5B-1%5D-8080",
  );
});
