import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretMask } from "@sonde/proto/http/secrets";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { changedSecrets, maskSecrets, openSecrets, sealOpenTexts, type Sealing, sealSecrets } from "./sealed-config.ts";
import { isSealed, secretBox, secretContexts } from "@sonde/kit/secrets";

/** A robot with a secret address and an optional key. */
const robot: Sealing = {
  box: secretBox(deriveKeys(randomBytes(32).toString("base64"))),
  context: secretContexts.channel,
  secrets: (config) => ["url", "key"].filter((name) => typeof config[name] === "string").map(toSecret),
  audience: ({ url }) => (URL.canParse(String(url)) ? new URL(String(url)).origin : String(url)),
};
const toSecret = (name: string) => ({ path: [name], name });
const { config: saved } = sealSecrets(robot, { url: "https://a.example/hook/1", key: "old", room: "ops" }, null);
const moved = "The address has changed: enter this secret value again";

test("secrets are sealed, masked, and can be opened", () => {
  expect([saved["url"], saved["key"]].every(isSealed)).toBe(true);
  expect(maskSecrets(saved)).toEqual({ url: secretMask, key: secretMask, room: "ops" });
  expect(openSecrets(robot, saved)).toEqual({ url: "https://a.example/hook/1", key: "old", room: "ops" });
});

test("masks keep the stored secrets", () => {
  const { config, faults } = sealSecrets(robot, { url: secretMask, key: secretMask, room: "dev" }, saved);
  expect(faults).toEqual([]);
  expect(config).toEqual({ ...saved, room: "dev" });
});

test("with a secret address, other masks keep their secret only within its origin", () => {
  expect(sealSecrets(robot, { url: "https://a.example/hook/2", key: secretMask }, saved).faults).toEqual([]);
  const { faults } = sealSecrets(robot, { url: "https://b.example/hook/1", key: secretMask }, saved);
  expect(faults).toEqual([{ path: "key", message: moved }]);
});

test("a mask without a stored secret is an error", () => {
  const { faults } = sealSecrets(robot, { url: "https://a.example/", key: secretMask }, null);
  expect(faults).toEqual([{ path: "key", message: "No value is stored for this secret yet: please enter one" }]);
});

test("if the stored address cannot be opened, masked secrets are not sent to a new one", () => {
  const other = { ...robot, box: secretBox(deriveKeys(randomBytes(32).toString("base64"))) };
  const { faults } = sealSecrets(other, { url: "https://a.example/hook/1", key: secretMask }, saved);
  expect(faults).toEqual([{ path: "key", message: moved }]);
});

test("a text stored in plain is sealed once", () => {
  const sealed = sealOpenTexts(robot, { url: "https://a.example/", room: "ops" });
  expect(sealed && openSecrets(robot, sealed)).toEqual({ url: "https://a.example/", room: "ops" });
  expect(JSON.stringify(sealed)).not.toContain("a.example");
  expect(sealed && sealOpenTexts(robot, sealed)).toBeNull();
});

test("changed secrets are listed by path; those in another place or on only one side are not", () => {
  const saved = { list: [{ key: { sealed: "a" } }, { key: { sealed: "b" } }], room: { sealed: "c" } };
  const now = { list: [{ key: { sealed: "a" } }, { key: { sealed: "B" } }, { key: { sealed: "d" } }], room: "c" };
  expect(changedSecrets(saved, now)).toEqual(["list.1.key"]);
  expect(changedSecrets({ room: { sealed: "c" } }, { room: { sealed: "C" } }, "config")).toEqual(["config.room"]);
  expect(changedSecrets(null, now)).toEqual([]);
});
