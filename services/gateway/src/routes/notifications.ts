import { deliveryRoutes } from "./deliveries.ts";
import { notificationChannelRoutes } from "./notification-channels.ts";
import { notificationSettingRoutes } from "./notification-settings.ts";
import { notificationTemplateRoutes } from "./notification-templates.ts";

/** Everything below `/api/notifications`. */
export const notificationRoutes = [
  ...notificationChannelRoutes,
  ...notificationSettingRoutes,
  ...notificationTemplateRoutes,
  ...deliveryRoutes,
];
