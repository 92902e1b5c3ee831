import { chainOf, firstHash, type ReportData, rowOf, verifyReport } from "@sonde/proto/http/report-proof";
import { generateKeyPairSync, sign } from "node:crypto";
import { parse } from "parse5";
import { describe, expect, test } from "vitest";
import { daysOf, targetOf, weekOf } from "../testing/reports.ts";
import { signDocument, writeDocument } from "./document.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const der = publicKey.export({ format: "der", type: "spki" }).toString("base64");
const pem = String(publicKey.export({ format: "pem", type: "spki" }));
const signing = (content: string) => sign(null, Buffer.from(content), privateKey);

const targets = [
  targetOf(1, "Checkout <b>&", daysOf([0, 33, 0, 0, 500, 0, 0], [0, 0, 0, 7, 0, 0, 1440])),
  targetOf(2, "Search", daysOf([0, 0, 0, 0, 0, 0, 0])),
];
const incident = {
  name: "Checkout",
  cause: "</script><script>alert(1)</script>",
  from: "2026-11-24T10:00:00.000Z",
  minutes: 33,
};

function dataOf(given: Partial<ReportData> = {}): ReportData {
  const data = { ...weekOf(targets, { incidents: [incident] }), previous: firstHash, ...given };
  return { ...data, hashes: given.hashes ?? chainOf(data), publicKey: der };
}
const documentOf = (given: Partial<ReportData> = {}) => signDocument(writeDocument(dataOf(given)), signing);
const signedAgain = (document: string) => signDocument(document.replace(/<!-- signature .*\n$/, ""), signing);
const report = documentOf();

test("a report is accepted with and without the installation's key", () => {
  for (const key of [undefined, pem]) {
    const { problem, data } = verifyReport(report, key);
    expect(problem).toBeUndefined();
    expect(data).toEqual(dataOf());
  }
});

test("any changed digit is found", () => {
  const places = [...report.matchAll(/\d/g)].map(({ index }) => index);
  expect(places.length).toBeGreaterThan(500);
  for (const [nth, at] of places.entries()) {
    // All around the end, where the signature is, and every third elsewhere.
    if (nth % 3 !== 0 && nth < places.length - 200) continue;
    const changed = `${report.slice(0, at)}${(Number(report[at]) + 1) % 10}${report.slice(at + 1)}`;
    expect(verifyReport(changed).problem, `character ${at}`).toBeDefined();
  }
});

describe("what somebody with the document can do", () => {
  const row = rowOf(targets[1]!);
  test.each([
    ["removing the signature", report.replace(/<!-- signature .*\n/, "")],
    ["adding text after it", `${report}<p>More</p>`],
    ["adding a second signature", `${report}${/<!-- signature .*\n/.exec(report)![0]}`],
    ["changing the signature's case", report.replace(/[0-9a-f]{128}/, (hex) => hex.toUpperCase())],
    ["removing a target", report.replace(`${row}\n`, "")],
    ["changing a name", report.replace("Search", "Sear ch")],
    ["changing line breaks", report.replaceAll("\n", "\r\n")],
    ["emptying it", ""],
  ])("%s is found", (_what, changed) => {
    expect(changed).not.toBe(report);
    expect(verifyReport(changed).problem).toBeDefined();
  });
});

describe("what somebody with the key can do", () => {
  const { publicKey: other } = generateKeyPairSync("ed25519");
  test.each<[string, string, string, RegExp]>([
    ["another key than the given one", report, String(other.export({ format: "pem", type: "spki" })), /another key/],
    [
      "a row that does not fit the data",
      signedAgain(report.replace("<td>0<td>0<td>0<td>0<td>0", "<td>0<td>1<td>0<td>0<td>0")),
      pem,
      /table/,
    ],
    ["a missing row", signedAgain(report.replace(`${rowOf(targets[1]!)}\n`, "")), pem, /table/],
    ["swapped days", documentOf({ targets: targets.map(swapped), hashes: dataOf().hashes }), pem, /2026-11-23/],
    [
      "a target without its counts",
      documentOf({ targets: targets.slice(1), hashes: dataOf().hashes }),
      pem,
      /2026-11-23/,
    ],
    ["a later day without its hash", documentOf({ hashes: dataOf().hashes.slice(0, -1) }), pem, /2026-11-29/],
    ["another predecessor", documentOf({ previous: "1".repeat(64), hashes: dataOf().hashes }), pem, /2026-11-23/],
    ["something else", signDocument("<p>Hello</p>\n", signing), pem, /no data/],
  ])("%s is found", (_what, changed, key, problem) => {
    expect(verifyReport(changed, key).problem).toMatch(problem);
  });
});

const swapped = (target: ReportData["targets"][number]) => ({
  ...target,
  counts: Object.fromEntries(
    Object.entries(target.counts).map(([name, [first, second, ...rest]]) => [name, [second, first, ...rest]]),
  ) as never,
});

test("the chain continues in the next report", () => {
  const previous = dataOf().hashes.at(-1)!;
  const { data } = verifyReport(documentOf({ previous }));
  expect(data?.previous).toBe(previous);
  expect(data?.hashes).not.toEqual(dataOf().hashes);
});

test.each(["en-US", "zh-CN"])("the document in %s refers to nothing else and runs no script", (language) => {
  const document = documentOf({ language });
  expect(document).not.toMatch(/(?:src|href|url|@import)\s*[=(]/i);
  const names: string[] = [];
  const visit = (node: { nodeName: string; attrs?: { name: string; value: string }[]; childNodes?: unknown[] }) => {
    names.push(node.nodeName);
    if (node.nodeName === "script") expect(node.attrs).toContainEqual({ name: "type", value: "application/json" });
    for (const { name } of node.attrs ?? []) expect(name).not.toMatch(/^on/);
    for (const child of node.childNodes ?? []) visit(child as never);
  };
  visit(parse(document) as never);
  expect(names.filter((name) => name === "script")).toHaveLength(1);
  expect(names.filter((name) => name === "b")).toHaveLength(1);
  expect(names).not.toContain("link");
});
