import { expect, test } from "vitest";
import { type Format, type Outcome, printOutcome } from "./output.ts";
import { hide } from "@sonde/import/config/read";

function written(outcome: Outcome, format: Format, secrets: string[] = []) {
  const lines: string[] = [];
  const [out, err] = [(text: string) => lines.push(text), (text: string) => lines.push(`err ${text}`)];
  printOutcome(outcome, format, { out, err, env: {}, stdin: (async function* () {})() }, secrets);
  return lines;
}
const place = { file: "a.yaml", line: 2, column: 3 };

test("secrets are hidden everywhere in the output, longer ones first", () => {
  const given = { list: ["token=s3cret-long&x", 5, null], inner: { text: "s3cret" }, whole: "no" };
  expect(hide(given, ["s3cret", "s3cret-long", "no", ""])).toEqual({
    list: ["token=••••••&x", 5, null],
    inner: { text: "••••••" },
    whole: "••••••",
  });
});

test("a short secret does not hide parts of other words, and keys stay", () => {
  expect(hide({ path: "monitors.a", text: "a path" }, ["a", "path"])).toEqual({ path: "monitors.a", text: "a ••••••" });
});

test.each(["text", "json", "github"] as const)(
  "%s output contains no secret, not even one of several lines",
  (format) => {
    const secret = '-----BEGIN "KEY"-----\nabc%,:\n-----END KEY-----';
    const plan = {
      create: [],
      update: [{ path: "channels.ops.token", from: `old ${secret}`, to: { header: secret } }],
      remove: [],
      same: [],
      conflicts: [{ path: "monitors.a", message: `It has ${secret}` }],
    };
    const faults = [{ message: `Not ${secret}`, path: "channels.ops", place }];
    const text = written({ exitCode: 3, faults, plan }, format, [secret]).join("\n");
    expect(text).toContain("••••••");
    expect(text).not.toMatch(/BEGIN|abc/);
  },
);

test("an annotation escapes its delimiters", () => {
  const faults = [{ message: "100 %\r\nof a, b: c", path: "", place: { ...place, file: "a,b:c.yaml" } }];
  expect(written({ exitCode: 4, faults }, "github")).toEqual([
    "::error file=a%2Cb%3Ac.yaml,line=2,col=3::100 %25%0D%0Aof a, b: c",
  ]);
  expect(written({ exitCode: 1, faults: [{ message: "No", path: "", place: null }] }, "github")).toEqual([
    "::error::No",
  ]);
});

test("long values are shortened", () => {
  const plan = {
    create: [],
    update: [{ path: "monitors.a.note", to: "x".repeat(1000) }],
    remove: [],
    same: [],
    conflicts: [],
  };
  const [line] = written({ exitCode: 2, plan: plan as unknown as NonNullable<Outcome["plan"]> }, "text");
  expect(line).toBe(`~ monitors.a.note: nothing → ${"x".repeat(200)}…`);
});
