import { expect, test } from "vitest";
import { agentInstall, isArchiveReady, systemdUnit } from "./install.ts";

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

test("over https nothing is taken by another protocol, over plain HTTP it still works", () => {
  const curls = (text: string) => text.split("\n").filter((line) => / curl .*-fsSL/.test(line));
  for (const text of [agentInstall(input).linux, agentInstall(input).systemd, agentInstall(input).macos]) {
    expect(curls(text)).toHaveLength(1);
    expect(curls(text)[0]).toContain("curl --proto '=https' -fsSL");
  }
  const plain = agentInstall({ ...input, downloadUrl: "http://10.0.0.1:8080/downloads" }).linux;
  expect(curls(plain)[0]).toContain("do curl -fsSL");
});

test("where the key is known the signature of the sums is verified before the sum is believed", () => {
  const point = Buffer.alloc(64, 7);
  const header = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d03010703420004", "hex");
  const texts = agentInstall({ ...input, downloadKey: Buffer.concat([header, point]).toString("base64") });
  for (const text of [texts.linux, texts.systemd, texts.macos]) {
    expect(text).toContain("-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQ");
    expect(text.indexOf("openssl dgst -sha256 -verify")).toBeLessThan(
      text.indexOf("256 -c -") + text.indexOf("256sum -c -"),
    );
    expect(text.indexOf("openssl dgst -sha256 -verify")).toBeLessThan(text.indexOf("tar -xJf"));
  }
  expect(texts.linux).toContain("curl, xz and openssl are needed");
  const [, blob = ""] = /FromBase64String\('([^']+)'\)/.exec(texts.windows) ?? [];
  expect(Buffer.from(blob, "base64")).toEqual(Buffer.concat([Buffer.from("ECS1\x20\0\0\0", "latin1"), point]));
  expect(texts.windows.indexOf("VerifyData")).toBeLessThan(texts.windows.indexOf("Expand-Archive"));
  expect(agentInstall(input).linux).not.toContain("openssl");
});

test("an archive is ready once it and its sum are in the folder", () => {
  const archive = "sonde-agent-linux-x64.tar.xz";
  const sums = `${"0".repeat(64)}  ${archive}\n`;
  expect(isArchiveReady("linux-x64", sums, ["SHA256SUMS", archive])).toBe(true);
  expect(isArchiveReady("linux-x64", sums, ["SHA256SUMS"])).toBe(false);
  expect(isArchiveReady("linux-x64", "", [archive])).toBe(false);
  expect(isArchiveReady("linux-arm64", sums, [archive, "sonde-agent-linux-arm64.tar.xz"])).toBe(false);
});
