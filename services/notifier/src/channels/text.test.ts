import { parseFragment } from "parse5";
import { describe, expect, test } from "vitest";
import { cut, escapeDiscord, escapeHtml, escapeRobotMarkdown, escapeSlack, fitLines, sizeOf } from "./text.ts";

const family = "👨‍👩‍👧‍👦";
const flag = "🇩🇪";

describe("cut", () => {
  test.each([
    ["characters", 10],
    ["utf16", 10],
    ["bytes", 12],
  ] as const)("stays within its limit in %s, and ends in an ellipsis", (unit, max) => {
    const text = cut("数据库主节点没有回应，请检查", max, { unit });
    expect(sizeOf(text, unit)).toBeLessThanOrEqual(max);
    expect(text).toMatch(/^数据库.*…$/);
  });

  test("counts an emoji as one character, two UTF-16 units and four bytes", () => {
    expect([sizeOf("😀"), sizeOf("😀", "utf16"), sizeOf("😀", "bytes")]).toEqual([1, 2, 4]);
  });

  test("never cuts within an emoji of several code points, a flag or a letter with marks", () => {
    for (const unit of ["characters", "utf16", "bytes"] as const) {
      for (let max = 1; max < 60; max += 1) {
        const text = cut(`a${family}e\u0301${flag}${family}${flag}`, max, { unit });
        expect(sizeOf(text, unit)).toBeLessThanOrEqual(max);
        const left = text.replaceAll(family, "").replaceAll(flag, "").replaceAll("e\u0301", "");
        expect(left).toMatch(/^a?…?$/);
      }
    }
  });

  test("cuts between code points of an endless grapheme cluster", () => {
    const text = cut(`a${"\u0301".repeat(10_000)}`, 100);
    expect(sizeOf(text)).toBe(100);
    expect(text.isWellFormed()).toBe(true);
  });

  test("cuts before an entity, so that the result parses to a beginning of the text", () => {
    const hostile = `<b>"R&D"</b>`.repeat(50);
    for (let max = 2; max < 200; max += 7) {
      const text = cut(hostile, max, { escape: escapeHtml });
      expect(sizeOf(text)).toBeLessThanOrEqual(max);
      const [node] = parseFragment(text).childNodes;
      const shown = node !== undefined && "value" in node ? node.value : "";
      expect(hostile.startsWith(shown.replace(/…$/, ""))).toBe(true);
      expect(sizeOf(text)).toBeGreaterThan(max - 7);
    }
  });

  test("takes time proportional to the limit, not to a million characters", () => {
    expect(sizeOf(cut("漢".repeat(1_000_000), 4096, { unit: "bytes" }), "bytes")).toBeGreaterThan(4090);
  });

  test("keeps a text that fits exactly", () => {
    expect(cut("12345", 5)).toBe("12345");
    expect(cut("", 5)).toBe("");
    expect(cut("😀😀😀", 6, { unit: "utf16" })).toBe("😀😀😀");
  });

  test("returns an empty text if not even the ellipsis fits", () => {
    expect(cut("12345", 2, { unit: "bytes" })).toBe("");
  });
});

test("removes hidden and reordering characters, keeps line breaks, and replaces lone surrogates", () => {
  expect(cut("a\u202eb\u0000c\r\nd\te\ud800", 100)).toBe("abc\nd e\ufffd");
});

describe("fitLines", () => {
  const more = (count: number) => `and ${count} more`;
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);

  test("keeps all lines that fit", () => {
    expect(fitLines(lines, lines.join("\n").length, { more })).toEqual(lines);
  });

  test("counts the lines that do not fit in a last line, within the limit", () => {
    const kept = fitLines(lines, 100, { more });
    expect(kept.join("\n").length).toBeLessThanOrEqual(100);
    expect(kept.at(-1)).toBe(`and ${100 - (kept.length - 1)} more`);
    expect(kept.slice(0, -1)).toEqual(lines.slice(0, kept.length - 1));
  });
});

describe("escaping", () => {
  const hostile = `<b>x</b> & "y" *_~\` [a](https://evil.example) https://good.example/a_b_c?x=1&y=2`;

  test("for HTML produces one text node and no element", () => {
    const nodes = parseFragment(escapeHtml(hostile)).childNodes;
    expect(nodes.map((node) => ("value" in node ? node.value : node.nodeName))).toEqual([hostile]);
  });

  test("for Slack produces no tag, link or mention", () => {
    expect(escapeSlack("<!channel> <@U1> a & b")).toBe("&lt;!channel&gt; &lt;@U1&gt; a &amp; b");
  });

  test("for Discord leaves an address unchanged, and no other formatting", () => {
    expect(escapeDiscord("https://a.example/x_y_z")).toBe("https://a.example/x_y_z");
    const left = escapeDiscord(`${hostile}\n# h\n- l\n> q\n||s||`)
      .replaceAll("https://good.example/a_b_c?x=1&y=2", "")
      .replaceAll(/\\[\W_]/g, "");
    expect(left).not.toMatch(/[\\*_~`|<>[\]]|^\s*[-#]/m);
  });

  test("for Discord finds the end of an address that tries to hide a link", () => {
    expect(escapeDiscord("https://a.example[b](https://evil.example)")).toBe(
      String.raw`https://a.example\[b\](https://evil.example)`,
    );
  });

  test("for bots widens formatting characters, and leaves names with underscores and addresses", () => {
    expect(escapeRobotMarkdown("disk_usage at https://a.example/x_y")).toBe("disk_usage at https://a.example/x_y");
    const escaped = escapeRobotMarkdown("# h\n> q\n*.example.com <font> ![p](https://x.example)");
    expect(escaped).toBe("＃ h\n＞ q\n＊.example.com ＜font＞ ！［p］(https://x.example)");
  });
});
