import { chainOf, firstHash, packReport, type ReportData, rowOf, signatureLine } from "@sonde/proto/http/report-proof";
import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inFolder } from "./testing/call.ts";

const { call, path } = inFolder();
const pair = generateKeyPairSync("ed25519");
const pemOf = ({ publicKey }: typeof pair) => String(publicKey.export({ format: "pem", type: "spki" }));

function report(): string {
  const day = [1440];
  const counts = {
    expected: day,
    seen: day,
    up: [1400],
    monitoredMinutes: day,
    maintenanceMinutes: [0],
    pausedMinutes: [0],
  };
  const target = { type: "monitor" as const, id: 7, name: "Checkout", counts, incidents: 1, longestMinutes: 40 };
  const content = { steps: ["2026-11-28"], targets: [target], previous: firstHash };
  const data: ReportData = {
    name: "Shop\u001b[31m",
    period: "2026-11-28",
    every: "day",
    timeZone: "UTC",
    language: "en-US",
    from: "2026-11-28T00:00:00.000Z",
    until: "2026-11-29T00:00:00.000Z",
    createdAt: "2026-11-29T00:05:00.000Z",
    incidents: [],
    omitted: 0,
    ...content,
    hashes: chainOf(content),
    publicKey: pair.publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
  const document = `<!doctype html>\n${rowOf(target)}\n${packReport(data)}\n`;
  return document + signatureLine(sign(null, Buffer.from(document), pair.privateKey));
}

const run = (text: string, ...options: string[]) => {
  writeFileSync(path("report.html"), text);
  return call(["verify", path("report.html"), ...options]);
};
const keyFile = (name: string, text: string) => {
  writeFileSync(path(name), text);
  return path(name);
};

test("accepts a report with the installation's key, and says what it proves", async () => {
  const { code, out } = await run(report(), "--key", keyFile("key.pem", pemOf(pair)));
  expect(code).toBe(0);
  expect(out).toContain("2026-11-28 (2026-11-28T00:00:00.000Z to 2026-11-29T00:00:00.000Z), 1 targets");
  expect(out).toMatch(/Key: {6}[0-9a-f]{64}\n/);
  expect(out).toContain("Verified: made by the installation with this key, and unchanged.");
  // A name cannot control the terminal.
  expect(out).not.toContain("\u001b");
});

test("without a key, says that the report's own was used", async () => {
  const { code, out } = await run(report());
  expect([code, out]).toEqual([0, expect.stringContaining("Anyone can make a key")]);
});

test.each([
  ["a changed figure", () => report().replace("97.222%", "99.222%"), "It was changed after it was signed"],
  ["no signature", () => report().replace(/<!-- signature.*\n/, ""), "It has no signature"],
  ["another file", () => "hello", "It has no signature"],
])("rejects %s with exit code 1", async (_what, text, sentence) => {
  expect(await run(text())).toMatchObject({ code: 1, err: expect.stringContaining(`Not verified: ${sentence}`) });
});

test("rejects a report of another installation", async () => {
  const other = keyFile("other.pem", pemOf(generateKeyPairSync("ed25519")));
  const { code, err } = await run(report(), "--key", other);
  expect([code, err]).toEqual([1, expect.stringContaining("signed with another key")]);
});

test.each([
  [["verify"], /missing/],
  [["verify", "no-such-file.html"], /does not exist/],
])("%j is an error", async (args, sentence) => {
  expect(await call(args)).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
});
