import { expect, test } from "vitest";
import { versionWarning } from "./connect.ts";

test.each([
  ["2.9.10", "nats://10.0.0.5:4222", true],
  ["2.10.26", "nats://nats.sonde:4222", true],
  ["2.11.0", "nats://nats.sonde:4222", true],
  ["2.10.27", "nats://nats.sonde:4222", false],
  ["2.12.3", "nats://nats.sonde:4222", false],
  ["2.9.10", "nats://127.0.0.1:4222", false],
  ["2.9.10", "nats://user:pw@localhost:4222,nats://[::1]:4222", false],
  ["2.9.10", "nats://127.0.0.1:4222,nats://10.0.0.5:4222", true],
])("nats-server %s at %s is a risk: %s", (version, url, risky) => {
  expect(versionWarning(version, url) !== null).toBe(risky);
});
