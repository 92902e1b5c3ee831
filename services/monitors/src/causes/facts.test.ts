import { describe, expect, test } from "vitest";
import { definedFacts, type FactKey, failingFacts, readFacts, type SeenTarget } from "./facts.ts";

const at = "2026-01-02T09:00:00Z";

describe("the facts of a fingerprint", () => {
  test("say where a target is, once each", () => {
    const identity = {
      addresses: ["203.0.113.7", "203.0.113.9", "2001:db8:0:1::7", "::ffff:192.0.2.1", "not an address"],
      names: ["Edge.example.net."],
      resolver: "9.9.9.9",
      proxy: "proxy:3128",
      certificate: { serial: "0a", issuer: "CA" },
    };
    expect(readFacts(JSON.stringify({ at, ...identity, status: 200, later: true }))).toEqual([
      "address 203.0.113.7",
      "network 203.0.113.0/24",
      "address 203.0.113.9",
      "address 2001:db8:0:1::7",
      "network 2001:db8:0:1::/64",
      "address 192.0.2.1",
      "network 192.0.2.0/24",
      "name edge.example.net",
      "resolver 9.9.9.9",
      "proxy proxy:3128",
      "certificate 0a (CA)",
    ]);
    expect(readFacts(JSON.stringify({ at }))).toEqual([]);
  });

  test.each([
    ["missing", undefined],
    ["no JSON", "{"],
    ["another shape", JSON.stringify({ at, addresses: "192.0.2.1" })],
    ["a list", "[]"],
    ["too many addresses", JSON.stringify({ at, addresses: Array.from({ length: 9 }, () => "192.0.2.1") })],
    ["more than 8 KiB", JSON.stringify({ at, addresses: [], more: "x".repeat(8_200) })],
    ["NUL, which PostgreSQL cannot store", JSON.stringify({ at, resolver: "a\0b" })],
    ["half a character", JSON.stringify({ at, resolver: "\ud800" })],
  ])("are unknown if it is %s", (_title, json) => expect(readFacts(json)).toBeUndefined());
});

describe("the facts of a failing target", () => {
  const seen = (status: "up" | "down", atMs: number, facts: FactKey[], location = "default"): SeenTarget => ({
    location,
    status,
    atMs,
    facts,
  });
  const good = seen("up", 1, ["address 192.0.2.1", "resolver 9.9.9.9"]);
  const bad = seen("down", 2, ["address 192.0.2.2"]);

  test("are what the failed check found, and the rest from the last successful check", () => {
    expect(failingFacts([good, bad], ["default"])).toEqual(["address 192.0.2.2", "resolver 9.9.9.9"]);
    expect(failingFacts([bad], ["default"])).toEqual(["address 192.0.2.2"]);
    expect(failingFacts([good], ["default"])).toEqual(["address 192.0.2.1", "resolver 9.9.9.9"]);
    expect(failingFacts([], ["default"])).toEqual([]);
  });

  test("are not those of an earlier failure", () => {
    expect(failingFacts([{ ...good, atMs: 3 }, bad], ["default"])).toEqual(["address 192.0.2.1", "resolver 9.9.9.9"]);
  });

  test("are those of the locations where it fails, once each", () => {
    const eu = seen("up", 1, ["address 192.0.2.1"], "eu1");
    const all = [eu, { ...eu, location: "us1" }, seen("up", 1, ["address 192.0.2.9"], "ap1")];
    expect(failingFacts(all, ["eu1", "us1"])).toEqual(["address 192.0.2.1"]);
  });
});

test("a definition says which agents a target depends on, its domain, and where it is checked", () => {
  const dependsOn = [
    { type: "agent" as const, id: 4 },
    { type: "monitor" as const, id: 5 },
  ];
  const target = { target: "https://shop.example.com/", dependsOn, locations: ["eu1", "us1"] };
  expect(definedFacts(target, () => "example.com")).toEqual([
    "agent 4",
    "domain example.com",
    "location eu1",
    "location us1",
  ]);
  expect(definedFacts({ ...target, dependsOn: [] }, () => null)).toEqual(["location eu1", "location us1"]);
});
