import { cells, common, live, status, theme } from "./common.ts";
import { dashboard, incidents } from "./dashboard.ts";
import { errors } from "./errors.ts";
import { crash, footer, nav, notYet } from "./layout.ts";

import type { firstWords as en } from "../en-US/first.ts";
import type { Translated } from "../catalogue.ts";

/** The words of the frame and of the dashboard in Chinese. */
export const firstWords: Translated<typeof en> = {
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
};
