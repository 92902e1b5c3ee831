import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { tokenize } from "../tokenize.ts";
import "./style.css";

export default {
  extends: theme,
  enhanceApp: ({ siteData }) => {
    // Same as for the index in config.ts, from where functions are not transferred.
    if (import.meta.env.PROD) siteData.value.themeConfig.search.options.miniSearch = { options: { tokenize } };
  },
} satisfies Theme;
