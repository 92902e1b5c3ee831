import type { Translated } from "../catalogue.ts";
import type { en } from "../en-US/index.ts";
import {
  agent,
  agentAgain,
  agentDownloads,
  agentEdit,
  agentGuide,
  agents,
  agentThresholds,
  agentTokens,
} from "./agents.ts";
import { alerting } from "./alerting.ts";
import { announcements } from "./announcements.ts";
import { auth } from "./auth.ts";
import { channels, channelTypes } from "./channels.ts";
import { common, live, status, theme } from "./common.ts";
import { dashboard, incidents } from "./dashboard.ts";
import { errors } from "./errors.ts";
import { home } from "./home.ts";
import { importing } from "./importing.ts";
import { acknowledge, evidence, incident, incidentList } from "./incidents.ts";
import { crash, footer, nav, notFound } from "./layout.ts";
import { maintenance } from "./maintenance.ts";
import { monitorDetail } from "./monitor-detail.ts";
import { monitorBulk, monitorForm, monitorKinds } from "./monitor-form.ts";
import { monitorList } from "./monitor-list.ts";
import { cells, monitor, monitors } from "./monitors.ts";
import { deliveries, notifications, notificationSettings, templates } from "./notifications.ts";
import { palette, shortcuts } from "./palette.ts";
import { quiet } from "./quiet.ts";
import { statusPage, subscribers } from "./status-page.ts";
import { profile, users } from "./users.ts";

/** Every word of the app in Chinese. */
export const zh: Translated<typeof en> = {
  acknowledge,
  agent,
  agentAgain,
  agentDownloads,
  agentEdit,
  agentGuide,
  agents,
  agentThresholds,
  agentTokens,
  alerting,
  announcements,
  auth,
  cells,
  channels,
  channelTypes,
  common,
  crash,
  dashboard,
  deliveries,
  errors,
  evidence,
  footer,
  home,
  importing,
  incident,
  incidentList,
  incidents,
  live,
  maintenance,
  monitor,
  monitorBulk,
  monitorDetail,
  monitorForm,
  monitorKinds,
  monitorList,
  monitors,
  nav,
  notFound,
  notifications,
  notificationSettings,
  palette,
  profile,
  quiet,
  shortcuts,
  status,
  statusPage,
  subscribers,
  templates,
  theme,
  users,
};
