import { expect, it } from "vitest";
import { doubtfulNames, edits } from "./near-names.ts";

const known = ["PORT", "HOST", "AUTH_REGISTRATION", "RETENTION_RAW_DAYS", "NATS_URL"];

it("asks whether a mistyped name was meant for a known one", () => {
  const asked = "AUTH_REGISTRATON is no variable of Sonde's and has no effect. Did you mean AUTH_REGISTRATION?";

  expect(doubtfulNames(["AUTH_REGISTRATON"], known)).toEqual([asked]);
  expect(doubtfulNames(["NATSURL", "PROT"], known)).toHaveLength(2);
});

it("tells of an unknown name that begins as ours do", () => {
  expect(doubtfulNames(["RETENTION_DAYS_FOR_ALL"], known)).toEqual([
    "RETENTION_DAYS_FOR_ALL is no variable of Sonde's and has no effect.",
  ]);
});

it("says nothing of others' names that begin as some of ours do, as machines of a CI have them, unless one is near", () => {
  const others = ["AGENT_NAME", "AGENT_TEMPDIRECTORY", "AUTH_TOKEN", "GATEWAY_INTERFACE"];

  expect(doubtfulNames(others, known)).toEqual([]);
  expect(doubtfulNames([...others, "AUTH_REGISTRATIN"], known)).toHaveLength(1);
});

it("says nothing of names that are known, or nobody's business", () => {
  const others = ["HOME", "PWD", "PATH", "USER", "TERM", "HOSTNAME", "LOGNAME", "SONDE_AGENT_DIR"];

  expect(doubtfulNames([...known, ...others], known)).toEqual([]);
});

it("counts a letter added, dropped, replaced, and two swapped, as one edit each", () => {
  expect(edits("PORTS", "PORT")).toBe(1);
  expect(edits("POT", "PORT")).toBe(1);
  expect(edits("PART", "PORT")).toBe(1);
  expect(edits("PROT", "PORT")).toBe(1);
  expect(edits("HOME", "HOST")).toBe(2);
  expect(edits("", "PORT")).toBe(4);
});
