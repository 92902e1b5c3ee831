import { ConfigError } from "@sonde/kit/config";
import { expect, it } from "vitest";
import { readConfig } from "./config.ts";

it("needs nothing to be set", () => {
  const config = readConfig({});

  expect(config).toMatchObject({ PORT: 8080, HOST: "127.0.0.1", PROBE_LOCATION: "default" });
  expect(config.DATABASE_URL).toBeUndefined();
});

it("names every fault at once", () => {
  const read = () =>
    readConfig({
      PORT: "eighty",
      NATS_URL: "localhost",
      SONDE_SECRET_KEY: "short",
      AUTH_REGISTRATION: "maybe",
      PROBE_DENY_CIDRS: "10.0.0.0/8,everything",
    });

  expect(read).toThrow(ConfigError);
  for (const name of ["PORT", "NATS_URL", "SONDE_SECRET_KEY", "AUTH_REGISTRATION", "PROBE_DENY_CIDRS"]) {
    expect(read).toThrow(new RegExp(`^ {2}${name}: \\S`, "m"));
  }
});

it("takes an empty variable for one that is not set", () => {
  expect(readConfig({ PORT: "", CLICKHOUSE_URL: "" })).toMatchObject({ PORT: 8080 });
});
