import { common, firstErrors, live, status, theme } from "./common.ts";
import { dashboard, incidents } from "./dashboard.ts";
import { crash, footer, nav } from "./layout.ts";
import { recentChecks } from "./recent-checks.ts";

import type { firstWords as en } from "../en-US/first.ts";
import type { Translated } from "../catalogue.ts";

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
  status,
  theme,
};
