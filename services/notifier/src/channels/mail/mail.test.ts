import { describe, expect, test } from "vitest";
import { attributes, nodesOf } from "../../testing/html.ts";
import * as messages from "../../testing/messages.ts";
import { mailOf, senderOf } from "./mail.ts";

const shown = (html: string) =>
  nodesOf(html)
    .filter(({ nodeName }) => nodeName === "#text")
    .map(({ value = "" }) => value.trim())
    .filter((text) => text !== "");

describe("a mail", () => {
  test("has the same content in text and HTML, in the message's language", () => {
    const { subject, text, html } = mailOf(messages.inChinese());
    expect(subject).toBe("商城接口 无法访问");
    expect(text).toContain("连接被拒绝\n\n开始时间: 2026-11-22 16:35:12 UTC+08:00");
    expect(shown(html)).toEqual([
      "商城接口 无法访问",
      "🔴 商城接口 无法访问",
      "连接被拒绝",
      "开始时间",
      "2026-11-22 16:35:12 UTC+08:00",
      "查看事件",
      "确认",
      "Sonde · 2026-11-22 08:35:12 UTC",
    ]);
    expect(nodesOf(html).find(({ tagName }) => tagName === "html")?.attrs).toEqual([{ name: "lang", value: "zh-CN" }]);
  });

  test("escapes external text, and loads nothing", () => {
    const evil = `<img src="https://evil.example/x.png"><b>x</b> & "q"`;
    const { html } = mailOf(messages.message({ title: evil, text: evil, fields: [{ label: evil, value: evil }] }));
    expect(shown(html).filter((text) => text === evil)).toHaveLength(4);
    const tags = new Set(nodesOf(html).map(({ tagName }) => tagName));
    for (const tag of ["img", "script", "style", "link"]) expect(tags).not.toContain(tag);
    expect(attributes(nodesOf(html), "href")).toEqual(messages.message().links.map(({ url }) => url));
  });

  test("sets no text or background colours, so that it is readable in light and dark mode", () => {
    const styles = attributes(nodesOf(mailOf(messages.several(3)).html), "style");
    expect(styles.length).toBeGreaterThan(3);
    for (const style of styles) expect(style).not.toMatch(/(^|;)(color|background)/);
  });

  test("lists fifty alerts with their causes and links, and counts the others", () => {
    const { html, text } = mailOf(messages.several(500));
    expect(shown(html).filter((line) => line === "The connection was refused")).toHaveLength(50);
    expect(shown(html)).toContain("… and 450 more");
    expect(text).toMatch(/… and \d+ more\n\nSonde · /);
  });

  test("is marked as automatic, and shares an ancestor only with mails of its incident", () => {
    const [opening, recovery] = [mailOf(messages.message()), mailOf(messages.recovery())];
    expect(opening.headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
    expect(opening.headers["References"]).toBe("<incident-m42@sonde.invalid>");
    expect(recovery.headers["References"]).toBe(opening.headers["References"]);
    expect(mailOf(messages.several(2)).headers).not.toHaveProperty("References");
    expect(mailOf(messages.test()).headers).not.toHaveProperty("References");
  });
});

test.each([
  ["Sonde <alerts@example.com>", { name: "Sonde", address: "alerts@example.com" }],
  [`"Ops, night" <a@b.example>`, { name: "Ops, night", address: "a@b.example" }],
  ["a@b.example", { name: "", address: "a@b.example" }],
  ["<a@b.example>", { name: "", address: "a@b.example" }],
])("parses the sender %s", (text, sender) => {
  expect(senderOf(text)).toEqual(sender);
});
