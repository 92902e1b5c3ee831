import { maintenancePath, paths } from "../../app/paths.ts";

const sections: Record<string, string> = {
  channels: paths.notifications,
  templates: paths.notificationTemplates,
  settings: paths.notificationSettings,
  maintenance: maintenancePath,
  page: paths.statusConfig,
};

/** Where what a document has at a path, such as `monitors.shop`, is shown; a monitor is searched for by its key. */
export function addressOf(path: string): string {
  const [section = "", ...key] = path.split(".");
  if (path.endsWith(".notify")) return paths.notificationSettings;
  return sections[section] ?? `${paths.monitors}?search=${encodeURIComponent(key.join("."))}`;
}
