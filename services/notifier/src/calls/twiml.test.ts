import { expect, test } from "vitest";
import { channel } from "../channels/types/twilio-voice.ts";
import { hostile, messageOf } from "../testing/sending.ts";
import { nothing, question, sentence } from "./twiml.ts";

const config = { accountSid: `AC${"0".repeat(32)}`, authToken: "t", from: "+15005550006", to: "+15558675310" };
const spoken = (...given: Parameters<typeof messageOf>) =>
  JSON.parse(channel.compose(messageOf(...given), config, undefined)) as { say?: string; text?: string };
const down = {
  target: { type: "monitor", id: 1, name: "Shop API" } as const,
  openedAtMs: Date.parse("2026-11-22T08:35:12Z"),
  atMs: Date.parse("2026-11-22T08:40:00Z"),
};

test("a call says what happened, since when and how severe it is, and asks for a key", () => {
  expect(spoken("down", down).say).toBe(
    "Hello, this is Sonde. Shop API is down. Since 8:35 AM. Press 1 to acknowledge.",
  );
  const critical = { ...down, severity: "critical", timeZone: "Europe/Berlin", atMs: down.atMs + 2 * 86_400_000 };
  expect(spoken("down", critical).say).toContain("Since November 22, 2026 at 9:35 AM. Severity: critical. Press 1");
  expect(spoken("down", { ...down, language: "zh-CN" }).say).toBe(
    "您好，这里是 Sonde。Shop API 发生故障。开始时间：08:35。确认请按 1。",
  );
});

test("a call about several incidents names the first, and one for a test asks to confirm it", () => {
  const several = spoken("down", { ...down, count: 30 }).say!;
  expect(several.match(/Shop API is down|is down\./g)!.length).toBeLessThan(6);
  expect(several).toContain("Press 1 to acknowledge.");
  expect(spoken("test", { isTest: true }).say).toContain("Press 1 to confirm that calls reach you.");
});

test("the end of an incident is the text of an SMS", () => {
  const { say, text } = spoken("recovery", { ...down, closedAtMs: down.atMs, resolution: "recovered" });
  expect(say).toBeUndefined();
  expect(text).toContain("Shop API is up again");
});

test("a question waits for one key and continues at its address, also without a key", () => {
  expect(question("Up & down", "https://s.example/?a=1&b=2", "en-US")).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Response><Gather numDigits="1" timeout="8" actionOnEmptyResult="true" method="POST" action="https://s.example/?a=1&amp;b=2"><Say voice="Polly.Joanna" language="en-US">Up &amp; down</Say></Gather></Response>\n',
  );
});

test("a sentence is said in the language of the alert, and ends the call", () => {
  expect(sentence("over", "zh-CN")).toContain(
    '<Say voice="Polly.Zhiyu" language="cmn-CN">该事件已结束。再见。</Say><Hangup/>',
  );
  expect(nothing).toBe('<?xml version="1.0" encoding="UTF-8"?>\n<Response></Response>\n');
});

test("hostile names stay text, without characters that XML does not permit, and bounded", () => {
  const text = spoken("down", { ...down, target: { ...down.target, name: `${hostile}\u0000\ufffe\ud800` } }).say!;
  const xml = question(`${text}\u0001\uffff</Say><Hangup/>`, "https://s.example", "en-US");
  expect(xml.match(/<[^>]+>/g)).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<Response>",
    expect.stringContaining("<Gather "),
    expect.stringContaining("<Say "),
    "</Say>",
    "</Gather>",
    "</Response>",
  ]);
  expect(xml.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff\u202e]/u);
  expect(text.length).toBeLessThan(1_100);
});
