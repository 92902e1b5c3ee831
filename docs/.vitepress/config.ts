import { defineConfig } from "vitepress";
import { asText } from "./outside.ts";
import { chinese, english, navigation } from "./pages.ts";
import { tokenize } from "./tokenize.ts";

// The site that the gateway serves at /docs. The same files are read as Markdown in the repository.

/** Of the search index alone: functions of the configuration would reach browsers as text to evaluate, which our policy refuses. */
const search = { locales: { "zh-CN": { translations: chinese.search } } };
Object.defineProperty(search, "miniSearch", { value: { options: { tokenize } } });

export default defineConfig({
  base: "/docs/",
  title: "Sonde",
  cleanUrls: true,
  // For developers: they read them in the repository.
  srcExclude: ["adr/**", "releasing.md", "node_modules/**"],
  // Links of examples, which lead to a Sonde that runs.
  ignoreDeadLinks: [/^https?:\/\/(?:localhost|127\.0\.0\.1)/],
  metaChunk: true,
  markdown: {
    config: (markdown) => {
      const { rules } = markdown.renderer;
      const render = rules.code_inline!;
      // Vue would fill in what templates of Sonde write: {{name}}.
      rules.code_inline = (tokens, at, ...rest) => {
        tokens[at]!.attrSet("v-pre", "");
        return render(tokens, at, ...rest);
      };
      markdown.use(asText);
    },
  },
  // The app's own setting of light and dark. Without a style element that stops transitions, which our policy refuses.
  appearance: { storageKey: "theme", disableTransition: false },
  transformHtml: (html) => html.replaceAll("vitepress-theme-appearance", "theme"),
  head: [["link", { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" }]],
  themeConfig: {
    // The app's, outside of this site.
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
