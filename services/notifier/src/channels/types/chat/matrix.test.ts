import { afterEach, expect, test } from "vitest";
import { testEgress } from "../../../testing/egress.ts";
import { attributes, nodesOf } from "../../../testing/html.ts";
import * as messages from "../../../testing/messages.ts";
import { start } from "../../../testing/stand-ins/chat/matrix.ts";
import { channel } from "./matrix.ts";

let standIn: Awaited<ReturnType<typeof start>>;
afterEach(() => standIn.stop());

function deliver(message = messages.message(), replyTo?: string) {
  const body = channel.compose(message, standIn.config, replyTo);
  const signal = new AbortController().signal;
  return channel.send({ body, config: standIn.config, key: message.key, atMs: 0, egress: testEgress, signal });
}
type Event = { msgtype: string; body: string; formatted_body: string; "m.relates_to"?: object; "m.mentions": object };
const sent = () => standIn.accepted.at(-1)?.json as Event;

test("a message notifies, and has the same content in plain text and HTML", async () => {
  standIn = await start();
  await deliver(messages.message({ title: `<img src=x onerror=1> & "x"` }));
  expect(sent()).toMatchObject({ msgtype: "m.text", "m.mentions": {} });
  const page = new Set(["#document", "html", "head", "body"]);
  const nodes = nodesOf(sent().formatted_body).filter(({ nodeName }) => !page.has(nodeName));
  expect(new Set(nodes.map(({ nodeName }) => nodeName))).toEqual(new Set(["strong", "#text", "br", "a", "em"]));
  const text = nodes.map(({ nodeName, value = "" }) => (nodeName === "br" ? "\n" : value)).join("");
  const links = messages.message().links.map(({ label, url }) => [label, `${label}: ${url}`] as const);
  expect(links.reduce((all, [label, plain]) => all.replace(label, plain), text)).toBe(sent().body);
  expect(attributes(nodes, "href")).toEqual(messages.message().links.map(({ url }) => url));
});

test("a repeated message creates one event, and a recovery replies to its opening", async () => {
  standIn = await start();
  standIn.answerNext("drop");
  expect(await deliver()).toMatchObject({ outcome: "retry" });
  const opening = await deliver();
  expect(opening).toMatchObject({ outcome: "delivered", reference: "$event1:example.com" });
  expect(standIn.accepted).toHaveLength(1);
  expect(sent()).not.toHaveProperty("m.relates_to");
  await deliver(messages.recovery(), "$event1:example.com");
  expect(sent()["m.relates_to"]).toEqual({ "m.in_reply_to": { event_id: "$event1:example.com" } });
  expect(standIn.accepted).toHaveLength(2);
});

test("waits as long as the server asks", async () => {
  standIn = await start();
  standIn.answerNext("throttle");
  expect(await deliver()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 2500 });
});
