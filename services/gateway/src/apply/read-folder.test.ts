import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { variablesOf } from "@sonde/kit/service/config";
import { afterEach, beforeEach, expect, test } from "vitest";
import { schema } from "../config.ts";
import { readFolder } from "./read-folder.ts";

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "sonde-read-folder-"));
});
afterEach(() => rmSync(path, { recursive: true }));

const problemsWith = async (variable: string) => {
  const text = `source: x\nchannels: {a: {type: ntfy, topic: t, token: {env: ${variable}}}}\n`;
  writeFileSync(join(path, "sonde.yaml"), text);
  return (await readFolder(path, { [variable]: "s3cret" })).problems;
};

test.each([
  ...variablesOf(schema),
  "OIDC_CLIENT_SECRET",
  "BACKUP_TOKEN",
  "BACKUP_DATABASE_URL",
  "DATABASE_URL_AUTH",
  "SONDE_KEY_CHECK",
  "RETENTION_RAW_DAYS",
  "DISCOVERY_NAME",
  "oidc_client_secret",
])("%s belongs to Sonde and cannot be read by a file", async (variable) => {
  expect(await problemsWith(variable)).toEqual([expect.stringContaining(`${variable} is one of Sonde's own settings`)]);
});

test("other variables can be read", async () => {
  expect(await problemsWith("OPS_TOKEN")).toEqual([]);
});
