import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { tokenize } from "../tokenize.ts";
import "./style.css";

export default {
  extends: theme,
  enhanceApp: ({ siteData }) => {
    // As config.ts does for the index: functions do not travel there.
    if (import.meta.env.PROD) siteData.value.themeConfig.search.options.miniSearch = { options: { tokenize } };
  },
} satisfies Theme;
