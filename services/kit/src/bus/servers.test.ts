import { expect, test } from "vitest";
import { serversOf } from "./connect.ts";

test("user and password go beside the address, whatever characters they have", () => {
  expect(serversOf("nats://sonde:7a%2Fb%40c@127.0.0.1:4222")).toEqual({
    servers: ["nats://127.0.0.1:4222"],
    user: "sonde",
    pass: "7a/b@c",
  });
});

test("every server of a list is reached by its address alone", () => {
  const { servers, user } = serversOf("tls://u:1@a:4222,tls://u:1@b:4222,tls://c:4222");
  expect([servers, user]).toEqual([["tls://a:4222", "tls://b:4222", "tls://c:4222"], "u"]);
});

test("an address without credentials stays as it is", () => {
  expect(serversOf("nats://nats.example:4222")).toEqual({ servers: ["nats://nats.example:4222"] });
});
