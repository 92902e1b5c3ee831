import type { Template as TemplateMessage } from "@sonde/proto/gen/notifications/v1/notifications";
import type { NotificationTemplate } from "@sonde/proto/http/notification-templates";
import { instantOf } from "./instant.ts";
import { readTemplateKind } from "./unions.ts";

export const presentTemplate = (template: TemplateMessage): NotificationTemplate => ({
  id: template.id,
  name: template.name,
  kind: readTemplateKind(template.kind),
  subject: template.subject,
  content: template.content,
  createdAt: instantOf(template.createdAtMs),
  updatedAt: instantOf(template.updatedAtMs),
});
