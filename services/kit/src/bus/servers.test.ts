import { expect, test } from "vitest";
import { parseServers } from "./connect.ts";

test("user and password are separated from the address, whatever characters they contain", () => {
  expect(parseServers("nats://sonde:7a%2Fb%40c@127.0.0.1:4222")).toEqual({
    servers: ["nats://127.0.0.1:4222"],
    user: "sonde",
    pass: "7a/b@c",
  });
});

test("the addresses of a list contain no credentials", () => {
  const { servers, user } = parseServers("tls://u:1@a:4222,tls://u:1@b:4222,tls://c:4222");
  expect([servers, user]).toEqual([["tls://a:4222", "tls://b:4222", "tls://c:4222"], "u"]);
});

test("an address without credentials is unchanged", () => {
  expect(parseServers("nats://nats.example:4222")).toEqual({ servers: ["nats://nats.example:4222"] });
});
