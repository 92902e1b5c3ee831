import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

/** Links that lead out of this folder are followed in the repository; in the site, which has not those files, they are text. */
export function asText(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("outside", ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === "link_open") isOutside = isAway(relativePath, String(token.attrGet("href")));
        if (!isOutside || !/^link_(?:open|close)$/.test(token.type)) continue;
        if (token.type === "link_close") isOutside = false;
        Object.assign(token, { type: "text", tag: "", content: "" });
      }
    }
  });
}

const isAway = (page: string, href: string): boolean =>
  !/^(?:[a-z]+:|[/#])/i.test(href) && posix.join(posix.dirname(page), href).startsWith("../");
