import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretMask } from "@sonde/proto/http/secrets";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { changedSecrets, maskSecrets, openSecrets, sealOpenTexts, type Sealing, sealSecrets } from "./sealed-config.ts";
import { isSealed, secretBox, secretContexts } from "@sonde/kit/secrets";

/** A robot whose address is a secret, and which may have a key beside it. */
const robot: Sealing = {
  box: secretBox(deriveKeys(randomBytes(32).toString("base64"))),
  context: secretContexts.channel,
  secrets: (config) => ["url", "key"].filter((name) => typeof config[name] === "string").map(toSecret),
  audience: ({ url }) => (URL.canParse(String(url)) ? new URL(String(url)).origin : String(url)),
};
const toSecret = (name: string) => ({ path: [name], name });
const { config: kept } = sealSecrets(robot, { url: "https://a.example/hook/1", key: "old", room: "ops" }, null);
const moved = "The address has changed: enter this secret value again";

test("secrets are sealed, shown as masks, and open to what they were", () => {
  expect([kept["url"], kept["key"]].every(isSealed)).toBe(true);
  expect(maskSecrets(kept)).toEqual({ url: secretMask, key: secretMask, room: "ops" });
  expect(openSecrets(robot, kept)).toEqual({ url: "https://a.example/hook/1", key: "old", room: "ops" });
});

test("masks keep what is stored", () => {
  const { config, faults } = sealSecrets(robot, { url: secretMask, key: secretMask, room: "dev" }, kept);
  expect(faults).toEqual([]);
  expect(config).toEqual({ ...kept, room: "dev" });
});

test("where the address is a secret itself, a mask beside it stays good within its origin alone", () => {
  expect(sealSecrets(robot, { url: "https://a.example/hook/2", key: secretMask }, kept).faults).toEqual([]);
  const { faults } = sealSecrets(robot, { url: "https://b.example/hook/1", key: secretMask }, kept);
  expect(faults).toEqual([{ path: "key", message: moved }]);
});

test("a mask without a stored secret is a fault", () => {
  const { faults } = sealSecrets(robot, { url: "https://a.example/", key: secretMask }, null);
  expect(faults).toEqual([{ path: "key", message: "This secret value is not stored yet: please enter it" }]);
});

test("where the stored address does not open any more, a mask is not sent to another", () => {
  const other = { ...robot, box: secretBox(deriveKeys(randomBytes(32).toString("base64"))) };
  const { faults } = sealSecrets(other, { url: "https://a.example/hook/1", key: secretMask }, kept);
  expect(faults).toEqual([{ path: "key", message: moved }]);
});

test("a text that was kept in the clear is sealed once", () => {
  const sealed = sealOpenTexts(robot, { url: "https://a.example/", room: "ops" });
  expect(sealed && openSecrets(robot, sealed)).toEqual({ url: "https://a.example/", room: "ops" });
  expect(JSON.stringify(sealed)).not.toContain("a.example");
  expect(sealed && sealOpenTexts(robot, sealed)).toBeNull();
});

test("secrets that differ are known by their paths, those of another place or of one side are not", () => {
  const kept = { list: [{ key: { sealed: "a" } }, { key: { sealed: "b" } }], room: { sealed: "c" } };
  const now = { list: [{ key: { sealed: "a" } }, { key: { sealed: "B" } }, { key: { sealed: "d" } }], room: "c" };
  expect(changedSecrets(kept, now)).toEqual(["list.1.key"]);
  expect(changedSecrets({ room: { sealed: "c" } }, { room: { sealed: "C" } }, "config")).toEqual(["config.room"]);
  expect(changedSecrets(null, now)).toEqual([]);
});
