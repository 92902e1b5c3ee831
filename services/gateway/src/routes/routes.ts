import type { Route } from "../route.ts";
import { acknowledgeLinkRoutes } from "./acknowledge-link.ts";
import { agentDownloadRoutes } from "./agent-downloads.ts";
import { agentMetricsRoutes } from "./agent-metrics.ts";
import { agentRoutes } from "./agents.ts";
import { announcementRoutes } from "./announcements.ts";
import { authRoutes } from "./auth.ts";
import { recentCheckRoutes } from "./recent-checks.ts";
import { checkRoutes } from "./checks.ts";
import { configRoutes } from "./config.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { docsRoutes } from "./docs.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./export.ts";
import { importRoutes } from "./import.ts";
import { incidentRoutes } from "./incidents.ts";
import { maintenanceRoutes } from "./maintenance.ts";
import { monitorBulkRoutes } from "./monitor-bulk.ts";
import { locationRoutes, monitorRoutes, monitorTagRoutes } from "./monitors.ts";
import { notificationRoutes } from "./notifications.ts";
import { openapiRoutes } from "./openapi.ts";
import { statusConfigRoutes } from "./status-config.ts";
import { statusRoutes } from "./status.ts";
import { subscriberRoutes } from "./subscribers.ts";
import { userRoutes } from "./users.ts";

const described: Route[] = [
  ...authRoutes,
  ...userRoutes,
  ...monitorRoutes,
  ...monitorBulkRoutes,
  ...monitorTagRoutes,
  ...checkRoutes,
  ...recentCheckRoutes,
  ...agentRoutes,
  ...agentDownloadRoutes,
  ...agentMetricsRoutes,
  ...incidentRoutes,
  ...acknowledgeLinkRoutes,
  ...notificationRoutes,
  ...announcementRoutes,
  ...exportRoutes,
  ...importRoutes,
  ...locationRoutes,
  ...maintenanceRoutes,
  ...dashboardRoutes,
  ...configRoutes,
  ...eventRoutes,
  ...statusRoutes,
  ...statusConfigRoutes,
  ...subscriberRoutes,
  ...docsRoutes(() => routes),
];

/** The whole public API. */
export const routes: Route[] = [...described, ...openapiRoutes(described)];
