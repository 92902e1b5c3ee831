import { expect, test } from "vitest";
import { agentInstall, systemdUnit } from "./agent-install.ts";

const input = {
  origin: "https://sonde.example.com",
  token: "tok_abc",
  intervalSeconds: 15,
  downloadUrl: "https://sonde.example.com/downloads",
};

test("each text downloads, checks the sum, holds the token and the interval, and runs", () => {
  for (const text of Object.values(agentInstall(input))) {
    expect(text).toContain("https://sonde.example.com/downloads");
    expect(text).toContain("SHA256SUMS");
    expect(text).toContain("tok_abc");
    expect(text).toContain("--interval 15");
  }
});

test("the token is never an argument and never in a service's file", () => {
  const { linux, macos, systemd, windows } = agentInstall(input);
  for (const text of [linux, macos, systemd])
    expect(text.split("\n").filter((line) => line.includes("tok_abc"))).toEqual(["tok_abc"]);
  expect(windows).toMatch(/^'tok_abc' \| &/m);
  expect(systemdUnit()).not.toContain("tok");
});

test("plain HTTP beyond this machine is said aloud, to this machine it needs no word", () => {
  expect(agentInstall({ ...input, origin: "http://10.0.0.1:8080" }).linux).toContain("--allow-http");
  expect(agentInstall({ ...input, origin: "http://127.0.0.1:8080" }).linux).not.toContain("--allow-http");
  expect(agentInstall(input).linux).not.toContain("--allow-http");
});

test("quotes in an address end nothing", () => {
  const { linux, windows } = agentInstall({ ...input, downloadUrl: "https://x/it's" });
  expect(linux).toContain(`url='https://x/it'\\''s'`);
  expect(windows).toContain("'https://x/it''s'");
});
