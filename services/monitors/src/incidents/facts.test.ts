import { expect, test } from "vitest";
import { definition } from "../testing/definition.ts";
import { factsOf, withoutSecrets } from "./facts.ts";

const hostsOf = (check: { type: "tcp" | "dns" | "tls" | "http"; [field: string]: unknown }) =>
  factsOf({ ...definition, target: "", config: check }).hosts;

test.each([
  [{ type: "tcp" as const, host: "DB.internal.", port: 5432 }, ["db.internal"]],
  [{ type: "tcp" as const, host: "::ffff:192.0.2.7", port: 1 }, ["192.0.2.7"]],
  [{ type: "tls" as const, host: "2001:DB8:0::1", port: 443 }, ["2001:db8::1"]],
  [{ type: "http" as const, url: "http://[2001:db8::1]:8080/" }, ["2001:db8::1"]],
  [{ type: "dns" as const, host: "example.com", recordType: "A", resolver: "192.0.2.53:5353" }, ["192.0.2.53"]],
  // Every machine has these names, so they identify no agent.
  [{ type: "tcp" as const, host: "localhost", port: 1 }, []],
  [{ type: "http" as const, url: "http://127.0.0.1:8080/" }, []],
  [{ type: "dns" as const, host: "example.com", recordType: "A" }, []],
])("the hosts of %j are %j", (check, hosts) => {
  expect(hostsOf(check)).toEqual(hosts);
});

test.each([
  ["https://a.example/?page=2", "https://a.example/?page=2"],
  ["https://a.example/?api_key=1&page=2", "https://a.example/?api_key=…&page=2"],
  ["https://a.example/?page=2&Token=x#top", "https://a.example/?page=2&Token=…#top"],
  ["https://a.example/?a=token", "https://a.example/?a=token"],
  ["tcp://db:5432", "tcp://db:5432"],
])("%s is published as %s", (target, left) => {
  expect(withoutSecrets(target)).toBe(left);
});

test("a heartbeat has neither an address nor locations nor a response time", () => {
  const config = { type: "heartbeat", every: 60 } as const;
  const monitor = { ...definition, target: "every 60 min", locations: ["heartbeat"], tags: ["jobs"], config };
  expect(factsOf(monitor, { responseTimeMs: 0 })).toMatchObject({
    target: "",
    locations: [],
    responseTimeMs: undefined,
    tags: ["jobs"],
  });
});
