import type { FormField } from "@sonde/proto/http/form";
import { type ChannelTypeName, channelTypeNames, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type ChannelInput, channelInput, type NotificationChannel } from "@sonde/proto/http/notifications/channels";
import * as z from "zod";
import { type FieldValue, readField, showField } from "../../../app/forms/schema-field.tsx";
import { schemaFaults, type FormFault } from "../../../lib/form-faults.ts";

export type ConfigValues = Record<string, FieldValue>;
/** What is in the form. It holds the fields of every type, so that changing one's mind loses nothing. */
export type ChannelValues = {
  name: string;
  enabled: boolean;
  /** Of a new channel: whether the global settings name it at once. */
  useGlobally: boolean;
  config: Partial<Record<ChannelTypeName, ConfigValues>>;
};

export const schemaOf = (type: ChannelTypeName, name: string) => channelTypeOf(type).fields[name];

export const fieldsOf = (type: ChannelTypeName): readonly FormField[] => channelTypeOf(type).form;

/** Whether a channel cannot be saved without a value of the field. */
export function isRequired(type: ChannelTypeName, name: string): boolean {
  const schema = schemaOf(type, name);
  return !(schema instanceof z.ZodOptional) && !(schema instanceof z.ZodDefault);
}

export function showConfig(type: ChannelTypeName, config: Readonly<Record<string, unknown>> = {}): ConfigValues {
  const known = { ...defaultsOf(channelTypeOf(type).fields), ...config };
  return Object.fromEntries(fieldsOf(type).map((field) => [field.name, showField(field, known[field.name])]));
}

/** What the form sends as the configuration. Null clears what may be absent; what has a default is never left out. */
export function readConfig(type: ChannelTypeName, values: ConfigValues): Record<string, unknown> {
  const defaults = defaultsOf(channelTypeOf(type).fields);
  const emptyOf = (name: string) => defaults[name] ?? (isRequired(type, name) ? undefined : null);
  return Object.fromEntries(
    fieldsOf(type).map((field) => [field.name, readField(field, values[field.name], emptyOf(field.name))]),
  );
}

export const emptyValues = (name = ""): ChannelValues => ({
  name,
  enabled: true,
  useGlobally: true,
  config: Object.fromEntries(channelTypeNames.map((type) => [type, showConfig(type)])),
});

export const toValues = ({ name, enabled, type, config }: NotificationChannel): ChannelValues => ({
  name,
  enabled,
  useGlobally: false,
  config: { [type]: showConfig(type, config) },
});

export const readInput = (type: ChannelTypeName, { name, enabled, config }: ChannelValues): ChannelInput => ({
  type,
  name,
  enabled,
  config: readConfig(type, config[type] ?? {}),
});

export function checkValues(type: ChannelTypeName, values: ChannelValues): FormFault[] {
  return schemaFaults(channelInput, readInput(type, values)).map((fault) => ({
    ...fault,
    path: pathOf(type, fault.path) ?? fault.path,
  }));
}

/** The form's path of an input's (dotted): `config.chatId` of Telegram is `config.telegram.chatId`. Null where it has none. */
export function pathOf(type: ChannelTypeName, path: string): string | null {
  if (path === "name" || path === "enabled") return path;
  const [name = "", ...rest] = path.replace(/^config\./, "").split(".");
  const field = fieldsOf(type).find((each) => each.name === name);
  if (field === undefined) return null;
  return ["config", type, name, ...(field.input === "headers" ? rest : [])].join(".");
}

export function hasAdvanced(type: ChannelTypeName, values: ConfigValues): boolean {
  const usual = showConfig(type);
  return fieldsOf(type).some(
    ({ name, advanced }) => advanced === true && JSON.stringify(values[name]) !== JSON.stringify(usual[name]),
  );
}
