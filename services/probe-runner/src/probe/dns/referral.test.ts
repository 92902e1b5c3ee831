import { createSocket } from "node:dgram";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";
import { afterEach, expect, it } from "vitest";
import { closeLater, closeServers } from "../../testing/loopback.ts";
import { referredZone } from "./referral.ts";

afterEach(closeServers);

const ns = (zone: string): Answer => ({ type: "NS", name: zone, data: `ns.${zone}` });
const soa = { mname: "ns.test", rname: "root.test", serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 };
const noData: Answer = { type: "SOA", name: "test", data: soa };

async function zoneFrom(answers: (id: number) => Buffer[], signal = new AbortController().signal) {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  closeLater(() => socket.close());
  socket.on("message", (query, peer) => {
    for (const bytes of answers(decode(query).id ?? 0)) socket.send(bytes, peer.port, peer.address);
  });
  await new Promise((resolve) => socket.once("listening", resolve));
  return referredZone({ host: "127.0.0.1", port: socket.address().port }, { name: "a.b.test", type: "A" }, signal);
}
const answer = (id: number, authorities: Answer[], flags = 0, answers: Answer[] = []) =>
  encode({ type: "response", id, flags, authorities, answers });

it("returns the zone that is referred to", async () => {
  expect(await zoneFrom((id) => [answer(id, [ns("b.test")])])).toBe("b.test");
  expect(await zoneFrom((id) => [answer(id, [ns(".")])])).toBe(".");
});

it("ignores responses with records, authority or an SOA record, or without name servers", async () => {
  expect(await zoneFrom((id) => [answer(id, [ns("test")], AUTHORITATIVE_ANSWER)])).toBeUndefined();
  expect(await zoneFrom((id) => [answer(id, [ns("test"), noData])])).toBeUndefined();
  expect(await zoneFrom((id) => [answer(id, [])])).toBeUndefined();
  const records: Answer[] = [{ type: "A", name: "a.b.test", data: "192.0.2.1" }];
  expect(await zoneFrom((id) => [answer(id, [ns("test")], 0, records)])).toBeUndefined();
});

it("ignores responses to other questions, and oversized ones", async () => {
  const long = (id: number) => Buffer.concat([answer(id, [ns("long.test")]), Buffer.alloc(512)]);
  const zone = await zoneFrom((id) => [
    Buffer.from("garbage"),
    Buffer.alloc(0),
    answer((id + 1) % 65_536, [ns("other.test")]),
    long(id),
    answer(id, [ns("b.test")]),
  ]);
  expect(zone).toBe("b.test");
});

it("ends with the check", async () => {
  const check = new AbortController();
  const silent = () => {
    check.abort();
    return [];
  };
  expect(await zoneFrom(silent, check.signal)).toBeUndefined();
  expect(await zoneFrom(silent, AbortSignal.abort())).toBeUndefined();
});

it("returns nothing if the server is unreachable", async () => {
  const server = { host: "127.0.0.1", port: 1 };
  expect(await referredZone(server, { name: "a.test", type: "A" }, new AbortController().signal)).toBeUndefined();
});
