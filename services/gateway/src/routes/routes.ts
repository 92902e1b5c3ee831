import type { Route } from "../route.ts";
import { acknowledgeLinkRoutes } from "./acknowledge-link.ts";
import { agentRoutes } from "./agents.ts";
import { announcementRoutes } from "./announcements.ts";
import { applyRoutes } from "./apply.ts";
import { authRoutes } from "./auth.ts";
import { callRoutes } from "./on-call/calls.ts";
import { configRoutes } from "./config.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { docsRoutes } from "./docs.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./export.ts";
import { importRoutes } from "./import.ts";
import { factorRoutes } from "./sign-in/factors.ts";
import { incidentRoutes } from "./incidents.ts";
import { auditRoutes } from "./audit.ts";
import { keyRoutes } from "./keys.ts";
import { locationRoutes } from "./locations.ts";
import { maintenanceRoutes, silenceRoutes } from "./maintenance.ts";
import { onCallContactRoutes } from "./on-call/contacts.ts";
import { onCallRoutes } from "./on-call/schedules.ts";
import { onCallDrillRoutes } from "./on-call/drills.ts";
import { onCallPolicyRoutes } from "./on-call/policies.ts";
import { pageRoutes } from "./pages.ts";
import { checkRoutes } from "./monitors/checks.ts";
import { inboundRoutes } from "../inbound/routes.ts";
import { kumaRoutes } from "../kuma/routes.ts";
import { monitorRoutes } from "./monitors/monitors.ts";
import { pingRoutes } from "./monitors/pings.ts";
import { notificationRoutes } from "./notifications.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { prometheusRoutes } from "../prometheus/routes.ts";
import { reportRoutes } from "./reports.ts";
import { signInRoutes } from "./sign-in/providers.ts";
import { sloRoutes } from "./slos.ts";
import { statusRoutes } from "./status.ts";
import { subscriberRoutes } from "./subscribers.ts";
import { userRoutes } from "./users.ts";

const described: Route[] = [
  ...authRoutes,
  ...factorRoutes,
  ...signInRoutes,
  ...userRoutes,
  ...auditRoutes,
  ...keyRoutes,
  ...monitorRoutes,
  ...locationRoutes,
  ...checkRoutes,
  ...pingRoutes,
  ...inboundRoutes,
  ...agentRoutes,
  ...incidentRoutes,
  ...acknowledgeLinkRoutes,
  ...callRoutes,
  ...notificationRoutes,
  ...onCallRoutes,
  ...onCallPolicyRoutes,
  ...onCallContactRoutes,
  ...onCallDrillRoutes,
  ...reportRoutes,
  ...announcementRoutes,
  ...exportRoutes,
  ...importRoutes,
  ...applyRoutes,
  ...maintenanceRoutes,
  ...silenceRoutes,
  ...sloRoutes,
  ...dashboardRoutes,
  ...prometheusRoutes,
  ...mcpRoutes,
  ...configRoutes,
  ...eventRoutes,
  ...statusRoutes,
  ...pageRoutes,
  ...kumaRoutes,
  ...subscriberRoutes,
];

export const routes: Route[] = [...described, ...docsRoutes(described)];
