import type { AlertFacts } from "../alerts/incident.ts";
import type { MessageLine, ChannelMessage } from "../messages/message.ts";

const atMs = Date.UTC(2026, 10, 22, 8, 35, 12);

export const alertFacts: AlertFacts = {
  kind: "down",
  incidentId: "m42",
  incidentKind: "down",
  target: { type: "monitor", id: 12, name: "Shop API" },
  cause: "The connection was refused",
  openedAtMs: atMs,
  flaps: 0,
  atMs,
  reminder: 0,
  dependents: { names: [], count: 0 },
  address: "https://shop.example.com/",
  tags: [],
  locations: ["default"],
  note: "",
  expectedStatus: "200",
  hostname: "",
  ipAddresses: [],
  os: "",
};

const links = {
  "en-US": [
    { label: "See the incident", url: "https://sonde.example.com/incidents/m42?a=1&b=2" },
    { label: "Acknowledge", url: `https://sonde.example.com/acknowledge?token=${"t".repeat(300)}` },
  ],
  "zh-CN": [
    { label: "查看事件", url: "https://sonde.example.com/incidents/m42?a=1&b=2" },
    { label: "确认", url: `https://sonde.example.com/acknowledge?token=${"t".repeat(300)}` },
  ],
};

export function message(changes: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    key: "msg_0199a1b2c3d4",
    language: "en-US",
    tone: "bad",
    title: "Shop API is down",
    text: "The connection was refused",
    fields: [
      { label: "Since", value: "2026-11-22 08:35:12 UTC" },
      { label: "Address", value: "https://shop.example.com/" },
    ],
    entries: [],
    links: links["en-US"],
    acknowledgeUrl: links["en-US"][1]?.url,
    footer: "Sonde · 2026-11-22 08:35:12 UTC",
    alerts: [alertFacts],
    atMs,
    isTest: false,
    ...changes,
  };
}

export const inChinese = (): ChannelMessage =>
  message({
    language: "zh-CN",
    title: "商城接口 无法访问",
    text: "连接被拒绝",
    fields: [{ label: "开始时间", value: "2026-11-22 16:35:12 UTC+08:00" }],
    links: links["zh-CN"],
  });

export const recovery = (): ChannelMessage =>
  message({ key: "msg_0199a1b2c3d5", tone: "good", title: "Shop API is up again", text: "It was down for 5 minutes" });

export const test = (): ChannelMessage =>
  message({ key: "msg_test", tone: "info", title: "Test", text: "This is a test", links: [], isTest: true });

export function several(count: number, changes: (index: number) => Partial<MessageLine> = () => ({})): ChannelMessage {
  const entries = Array.from({ length: count }, (_, index) => ({
    tone: index % 3 === 2 ? ("good" as const) : ("bad" as const),
    title: `Monitor ${index} is down`,
    text: "The connection was refused",
    url: `https://sonde.example.com/incidents/m${index}`,
    ...changes(index),
  }));
  const title = `${count} alerts`;
  return message({ title, text: "", fields: [], entries, links: [], alerts: entries.map(() => alertFacts) });
}

export const hostileTexts: Readonly<Record<string, string>> = {
  tags: `<b>x</b><script>alert(1)</script> &lt; & "q" 'a'`,
  markdown:
    "*b* _i_ ~s~ `c` **B** __U__ ~~S~~ ||x|| [a](https://evil.example) # h\n# h\n> q\n- l\n@everyone <@1> <!channel>",
  "right to left": "שלום \u202eevil\u202c عربي",
  emoji: "👨‍👩‍👧‍👦🇩🇪e\u0301😀".repeat(40),
  long: "长".repeat(5000) + "x".repeat(5000),
  "only entities": "<&>".repeat(4000),
  "one endless character": `e${"\u0301".repeat(10_000)}`,
  "a lone surrogate": "\ud83d\u0000\u0007",
};

export const hostile = (text: string): ChannelMessage =>
  message({
    title: text.replaceAll("\n", " "),
    text,
    fields: Array.from({ length: 30 }, (_, index) => ({ label: `Field ${index}`, value: text })),
  });

export const severalHostile = (text: string): ChannelMessage => ({
  ...several(1000, () => ({ title: text.replaceAll("\n", " "), text })),
  title: text.replaceAll("\n", " "),
});
