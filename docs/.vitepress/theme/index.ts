import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import NotFound from "vitepress/dist/client/theme-default/NotFound.vue";
import { h } from "vue";
import { tokenize } from "../tokenize.ts";
import "./style.css";

export default {
  extends: theme,
  // The theme's page for unknown addresses has no main landmark.
  Layout: () => h(theme.Layout, null, { "not-found": () => h("main", h(NotFound)) }),
  enhanceApp: ({ siteData }) => {
    // Same as for the index in config.ts, from where functions are not transferred.
    if (import.meta.env.PROD) siteData.value.themeConfig.search.options.miniSearch = { options: { tokenize } };
  },
} satisfies Theme;
