import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { describe } from "./describe.ts";
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
    // The default themes have too little contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    config: (markdown) => {
      const { rules } = markdown.renderer;
      const render = rules.code_inline!;
      // Prevents Vue from replacing template placeholders such as {{name}}.
      rules.code_inline = (tokens, at, ...rest) => {
        tokens[at]!.attrSet("v-pre", "");
        return render(tokens, at, ...rest);
      };
      // An empty cell is no heading.
      for (const end of ["th_open", "th_close"] as const) {
        rules[end] = (tokens, at, options, _env, self) => {
          const isEmpty = tokens[end === "th_open" ? at + 1 : at - 1]!.content === "";
          if (isEmpty) tokens[at]!.tag = "td";
          return self.renderToken(tokens, at, options);
        };
      }
      markdown.use(asText);
    },
  },
  transformPageData: (page, { siteConfig: { srcDir } }) =>
    page.isNotFound === true ? {} : { description: describe(readFileSync(join(srcDir, page.filePath), "utf8")) },
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
    root: {
      label: "English",
      lang: "en-US",
      description: english.description,
      themeConfig: { ...navigation(english, ""), ...english.theme },
    },
    "zh-CN": {
      label: "中文",
      lang: "zh-CN",
      description: chinese.description,
      themeConfig: { ...navigation(chinese, "zh-CN/"), ...chinese.theme },
    },
  },
});
