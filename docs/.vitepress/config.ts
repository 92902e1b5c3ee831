import { defineConfig } from "vitepress";
import { asText } from "./outside.ts";
import { chinese, english, navigation } from "./pages.ts";
import { tokenize } from "./tokenize.ts";

// The gateway serves this site at /docs. The pages must also be readable as Markdown in the repository.

/** Not enumerable, because VitePress sends functions to browsers as text to evaluate, which the CSP forbids. */
const search = { locales: { "zh-CN": { translations: chinese.search } } };
Object.defineProperty(search, "miniSearch", { value: { options: { tokenize } } });

export default defineConfig({
  base: "/docs/",
  title: "Sonde",
  cleanUrls: true,
  // For developers, who read them in the repository.
  srcExclude: ["adr/**", "releasing.md", "node_modules/**"],
  // Examples link to a running Sonde.
  ignoreDeadLinks: [/^https?:\/\/(?:localhost|127\.0\.0\.1)/],
  metaChunk: true,
  markdown: {
    config: (markdown) => {
      const { rules } = markdown.renderer;
      const render = rules.code_inline!;
      // Prevents Vue from replacing template placeholders such as {{name}}.
      rules.code_inline = (tokens, at, ...rest) => {
        tokens[at]!.attrSet("v-pre", "");
        return render(tokens, at, ...rest);
      };
      markdown.use(asText);
    },
  },
  // Shares the theme setting with the app. The style element that disables transitions is forbidden by the CSP.
  appearance: { storageKey: "theme", disableTransition: false },
  transformHtml: (html) => html.replaceAll("vitepress-theme-appearance", "theme"),
  head: [["link", { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" }]],
  themeConfig: {
    // Served by the app, outside this site.
    logo: { src: "/../favicon.svg", alt: "" },
    search: { provider: "local", options: search },
    outline: [2, 3],
    externalLinkIcon: true,
  },
  locales: {
    root: { label: "English", lang: "en-US", themeConfig: navigation(english, "") },
    "zh-CN": { label: "中文", lang: "zh-CN", themeConfig: { ...navigation(chinese, "zh-CN/"), ...chinese.theme } },
  },
});
