import { ConfigError } from "@sonde/kit/service/config";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

const needed = { DATABASE_URL: "postgres://sonde@localhost/sonde" };

test.each([
  [undefined, "open"],
  ["", "open"],
  ["127.0.0.1", "open"],
  ["127.8.8.8", "open"],
  ["localhost", "open"],
  ["::1", "open"],
  ["0.0.0.0", "approval"],
  ["::", "approval"],
  ["192.168.1.4", "approval"],
  ["localhost.example.org", "approval"],
])("a gateway listening on %s makes registration %s", (host, mode) => {
  expect(readConfig({ ...needed, HOST: host }).AUTH_REGISTRATION).toBe(mode);
});

test("an explicit registration mode overrides the listen address", () => {
  expect(readConfig({ ...needed, HOST: "0.0.0.0", AUTH_REGISTRATION: "open" }).AUTH_REGISTRATION).toBe("open");
  expect(readConfig({ ...needed, AUTH_REGISTRATION: "closed" }).AUTH_REGISTRATION).toBe("closed");
});

test("every configuration problem is reported at once", () => {
  const read = () => readConfig({ AUTH_REGISTRATION: "sometimes" });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/DATABASE_URL[\s\S]*AUTH_REGISTRATION|AUTH_REGISTRATION[\s\S]*DATABASE_URL/);
});
