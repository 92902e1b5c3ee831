import { messages } from "@sonde/proto/http/messages";
import { expect, test } from "vitest";
import { compileCapture, compilePattern } from "./pattern.ts";
import { unrolledAtoms } from "./size.ts";

test.each([
  ["(a", "Missing closing ): {part}", "(a"],
  ["a)", "Unmatched )", "a)"],
  ["[a", "Missing closing ]: {part}", "[a"],
  ["*a", "Nothing to repeat before {part}", "*"],
  ["a**", "A quantifier cannot follow another quantifier: {part}", "**"],
  ["a{1001}", "Too many repetitions (maximum 1000): {part}", "{1001}"],
  ["a(?=b)", "Lookahead, lookbehind and backreferences are not supported: {part}", "(?="],
  ["(?<!a)b", "Lookahead, lookbehind and backreferences are not supported: {part}", "(?<!a)b"],
  [String.raw`(a)\1`, "Lookahead, lookbehind and backreferences are not supported: {part}", String.raw`\1`],
  [String.raw`\y`, "Unknown escape: {part}", String.raw`\y`],
  ["[z-a]", "Invalid character set: {part}", "z-a"],
  ["(?P<a b>c)", "Invalid group name: {part}", "(?P<a b>"],
  ["(?P<n>a)(?P<n>b)", "Two groups have the same name: {part}", "n"],
  ["a\\", "A regular expression cannot end with a backslash", ""],
  ["(".repeat(1500) + ")".repeat(1500), "The regular expression is too large", ""],
])("%s is rejected with the reason and the part", (source, fault, part) => {
  expect(messages).toHaveProperty([fault]);
  const refusal = compilePattern(source);
  expect(refusal).toMatchObject({ fault });
  if (fault.includes("{part}")) expect(refusal).toMatchObject({ params: { part } });
});

test.each([
  "((a{100}){100}){100}",
  "(?<=a)b",
  String.raw`\1`,
  "(?:[a-z]{1,100}){10}(?:[a-z]{1,100}){10}(?:.{1,1000})(?:.{1,1000})(?:.{1,1000})(?:.{1,1000})",
])("%s is rejected", (source) => {
  expect(compilePattern(source)).toHaveProperty("fault");
});

test.each([
  "a{1000}".repeat(285),
  String.raw`(\pL{1,1000})?`.repeat(130),
  "((a{31}){31})".repeat(20),
  "(?i:[a-z]{500}|\\d{500}){2}".repeat(6),
])("%s would be huge after unrolling, and is rejected", (source) => {
  expect(compilePattern(source)).toMatchObject({ fault: "The regular expression is too large" });
});

test.each([
  ["ok|done", "all done", true],
  ["^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "8a6e0804-2bd0-4672-b79d-d97027f9071a", true],
  [String.raw`\d{1,3}(?:\.\d{1,3}){3}`, "192.0.2.7", true],
  ["(?:a|b|c){1000}", "a", false],
  [String.raw`\Qx{1000}{1000}\E`, "x{1000}{1000}", true],
])("%s matches %s: %s", (source, text, holds) => {
  const matches = compilePattern(source);
  expect(typeof matches === "function" && matches(text)).toBe(holds);
});

// A backtracking engine would practically never finish any of these.
test.each([
  "(a+)+$b",
  "(a|aa)+c",
  "(.*)(.*)(.*)(.*)x$",
  "(?:a?){100}a{100}b",
  "(?i)(.{1,30}a){12}Q",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
])("%s terminates on hostile input", (source) => {
  const matches = compilePattern(source);
  if (typeof matches !== "function") throw new Error(matches.fault);
  for (const text of ["a".repeat(65_536), "ab".repeat(32_768)]) expect(matches(text)).toBe(false);
});

test("a pattern only sees the first million characters", () => {
  const matches = compilePattern("end$") as (text: string) => boolean;
  expect(matches(`${"x".repeat(1_048_573)}end`)).toBe(true);
  expect(matches(`${"x".repeat(1_048_574)}end`)).toBe(false);
});

test.each([
  [String.raw`name="csrf" value="([^"]+)"`, '<input name="csrf" value="a1b2">', "a1b2"],
  ["(?P<token>[0-9]+)", "no 42 and 43", "42"],
  ["a(b)?", "a", undefined],
  ["(a)", "b", undefined],
  ["a", "a", undefined],
])("%s captures the text of its group", (source, text, taken) => {
  const capture = compileCapture(source);
  expect(typeof capture === "function" ? capture(text) : capture).toBe(taken);
});

test.each([
  ["", 0],
  ["abc", 3],
  ["a{5}b", 6],
  ["(?:ab{2}){3}", 9],
  ["(?i)(?P<name>a|b){10,}c", 21],
  ["[]a{9}]{2,4}", 4],
  [String.raw`\p{Greek}{7}\{3}`, 10],
  ["a)b(c{2}", 5],
])("%s unrolls to %i atoms", (source, atoms) => {
  expect(unrolledAtoms(source)).toBe(atoms);
});
