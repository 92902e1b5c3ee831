import { expect, test } from "vitest";
import { checkCss } from "./css.ts";

test.each([
  [".top { color: #f60 }", ".top{color:#f60}"],
  ["@media (max-width: 40rem) { .band { display: grid; gap: calc(1px + 2vw) } }", "@media (max-width:40rem)"],
  [":root { --accent: #123 } .a { color: var(--accent) }", "var(--accent)"],
  [".a { background: url(data:image/png;base64,AA==) }", "url(data:image/png;base64,AA==)"],
  [".a::before { content: 'url(https://evil.example)' }", "content"],
  ["@keyframes x { from { opacity: 0 } to { opacity: 1 } }", "@keyframes x"],
  ["@supports (display: grid) { .a:not(.b) > c { inset: 0 } }", "inset:0"],
  ["", ""],
])("%j is accepted", async (css, written) => {
  const checked = await checkCss(css);
  expect(checked.fault).toBeNull();
  expect(checked.css).toContain(written);
});

const outside = "Line {line}: CSS must not load anything from elsewhere";
const invalid = "Line {line}: this is not valid CSS";
test.each([
  ["@import 'https://evil.example/a.css';", 1, outside],
  ["\n\n@IMPORT url(//evil.example/a.css);", 3, outside],
  ["a { color: red }\nb { background: url(https://evil.example/x.png) }", 2, outside],
  ["a { background: URL('//evil.example/x') }", 1, outside],
  ["a { background: u\\72l(https://evil.example) }", 1, invalid],
  ["a { background: url(/status) }", 1, outside],
  ["a { background: url(data:text/html,x) }", 1, outside],
  ["a { background: image-set('https://evil.example/x' 1x) }", 1, outside],
  ["a { background: -webkit-image-set('x' 1x) }", 1, outside],
  ["a { --x: url(https://evil.example); background: var(--x) }", 1, outside],
  ["@font-face { font-family: x; src: url(https://evil.example/x.woff) }", 1, outside],
  ["@namespace url(https://evil.example);", 1, outside],
  ["a { background: src('https://evil.example') }", 1, outside],
  ["a { behavior: url(x.htc) }", 1, outside],
  ["a { background: attr(href url) }", 1, outside],
  ["a { b: c }\n\n}}} d { color: red }", 3, invalid],
])("%j is refused with its line", async (css, line, message) => {
  const { fault, css: written } = await checkCss(css);
  expect([fault, written]).toEqual([{ path: "css", message, params: { line } }, ""]);
});

test("what is published contains no comment, and nothing that was not parsed", async () => {
  expect((await checkCss("/* </style> */ a { color: red }")).css).toBe("a{color:red}");
});
