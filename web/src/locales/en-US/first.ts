import { cells, common, live, status, theme } from "./common.ts";
import { dashboard, incidents } from "./dashboard.ts";
import { errors } from "./errors.ts";
import { crash, footer, nav, notYet } from "./layout.ts";

/** The words of the frame and of the dashboard: all that the first logged-in page says. They travel before it; the rest comes with the other screens. */
export const firstWords = {
  cells,
  common,
  crash,
  dashboard,
  errors,
  footer,
  incidents,
  live,
  nav,
  notYet,
  status,
  theme,
} as const;
