import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

/** Renders links to files outside `docs` as text, because the site does not contain those files. */
export function asText(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("outside", ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === "link_open") isOutside = leavesDocs(relativePath, String(token.attrGet("href")));
        if (!isOutside || !/^link_(?:open|close)$/.test(token.type)) continue;
        if (token.type === "link_close") isOutside = false;
        Object.assign(token, { type: "text", tag: "", content: "" });
      }
    }
  });
}

const leavesDocs = (page: string, href: string): boolean =>
  !/^(?:[a-z]+:|[/#])/i.test(href) && posix.join(posix.dirname(page), href).startsWith("../");
