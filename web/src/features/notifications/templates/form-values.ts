import { type TemplateKind, templateKinds } from "@sonde/proto/http/incidents/alerts";
import { type NotificationTemplate, templateInput } from "@sonde/proto/http/notifications/templates";
import { faultsIn, type FormFault } from "../../../lib/form-faults.ts";

export type TemplateFormValues = { name: string; kind: TemplateKind; subject: string; content: string };

export const emptyValues: TemplateFormValues = {
  name: "",
  kind: templateKinds[0] ?? "down",
  subject: "",
  content: "",
};

export const toValues = ({ name, kind, subject, content }: NotificationTemplate): TemplateFormValues => ({
  name,
  kind,
  subject,
  content,
});

export const checkValues = (values: TemplateFormValues): FormFault[] => faultsIn(templateInput, values);
