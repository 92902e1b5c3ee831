import { common, firstErrors, live, status, theme } from "../common.ts";
import { dashboard, incidents, recentChecks } from "../dashboard.ts";
import { crash, footer, nav, notFound } from "../layout.ts";

/** The words of the frame and of the dashboard: all that the first logged-in page says. They travel before it; the rest comes with the other screens. */
export const firstWords = {
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
} as const;
