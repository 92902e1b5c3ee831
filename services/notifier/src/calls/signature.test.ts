import { expect, test } from "vitest";
import { isSigned } from "./signature.ts";

const authToken = "f0e1d2c3b4a5968778695a4b3c2d1e0f";
const at = "https://sonde.example.com/api/calls/abc";

/** Computed with `getExpectedTwilioSignature` of the npm package twilio 6.3.1. */
const vectors: [string, string, [string, string][], string][] = [
  [
    "a pressed key",
    `${at}/answer`,
    [
      ["CallSid", "CA1234567890ABCDE"],
      ["Caller", "+14158675310"],
      ["Digits", "1"],
      ["From", "+14158675310"],
      ["To", "+18005551212"],
    ],
    "CHcaaTS5hH2Ifn2FL1AnSQL8aFg=",
  ],
  [
    "names in both cases, an empty field and special characters",
    "https://sonde.example.com:8443/api/calls/abc/ended",
    [
      ["CallStatus", "no-answer"],
      ["callStatus", "x"],
      ["Z", ""],
      ["A b", "ü &=+"],
    ],
    "y996HshCa9KNglrCmYnZWQRR4B4=",
  ],
  [
    "the standard port",
    "https://sonde.example.com:443/api/calls/abc/key",
    [["Digits", ""]],
    "vo9DEw1bd50Wc4feDurmBkgGNd8=",
  ],
  [
    "a query, and Chinese",
    "http://sonde.example.com/sub/api/calls/abc/key?x=1&y=%20",
    [
      ["Body", "a"],
      ["Zahl", "七"],
    ],
    "1PHAkXmojb1HlHB3GWy/egH4HSk=",
  ],
  ["no fields", `${at}/answer`, [], "9/yajq5E263o30OiLgZvCtF9qyQ="],
];

test.each(vectors)("the signature of %s is Twilio's", (_name, url, form, signature) => {
  expect(isSigned(authToken, { url, form: form.toReversed(), signature })).toBe(true);
  expect(isSigned("another", { url, form, signature })).toBe(false);
  expect(isSigned(authToken, { url, form: [...form, ["More", "1"]], signature })).toBe(false);
  expect(isSigned(authToken, { url: url.replace("abc", "abd"), form, signature })).toBe(false);
  for (const forged of ["", signature.slice(1), signature.toLowerCase()])
    expect(isSigned(authToken, { url, form, signature: forged })).toBe(false);
});

test("an address is accepted with and without its port, since Twilio signs either", () => {
  const without = { url: `${at}/key`, form: [["Digits", ""]] as const };
  expect(
    isSigned(authToken, {
      ...without,
      url: "https://sonde.example.com/api/calls/abc/key",
      signature: "vo9DEw1bd50Wc4feDurmBkgGNd8=",
    }),
  ).toBe(true);
  expect(
    isSigned(authToken, {
      url: "https://sonde.example.com:8443/api/calls/abc/answer",
      form: [],
      signature: "9/yajq5E263o30OiLgZvCtF9qyQ=",
    }),
  ).toBe(true);
});
