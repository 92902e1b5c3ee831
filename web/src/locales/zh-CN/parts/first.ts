import type { Translated } from "../../catalogue.ts";
import type { firstWords as en } from "../../en-US/parts/first.ts";
import { common, firstErrors, live, status, theme } from "../common.ts";
import { dashboard, incidents, recentChecks } from "../dashboard.ts";
import { crash, footer, nav, notFound } from "../layout.ts";

/** The words of the frame and of the dashboard in Chinese. */
export const firstWords: Translated<typeof en> = {
  common,
  crash,
  dashboard,
  errors: firstErrors,
  footer,
  incidents,
  live,
  monitors: { recentChecks },
  nav,
  notFound,
  status,
  theme,
};
