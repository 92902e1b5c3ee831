import type { FormField } from "@sonde/proto/http/form";
import { type ChannelTypeName, channelTypeNames, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type ChannelInput, channelInput, type NotificationChannel } from "@sonde/proto/http/notifications/channels";
import * as z from "zod";
import { type FieldValue, readField, showField } from "../../../app/forms/schema-field.tsx";
import { schemaErrors, type FormError } from "../../../lib/form-errors.ts";

export type ConfigValues = Record<string, FieldValue>;
/** Form values. They include the fields of every type, so that switching the type loses nothing. */
export type ChannelValues = {
  name: string;
  enabled: boolean;
  /** For a new channel: whether to add it to the global settings. */
  useGlobally: boolean;
  config: Partial<Record<ChannelTypeName, ConfigValues>>;
};

export const schemaOf = (type: ChannelTypeName, name: string) => channelTypeOf(type).fields[name];

export const fieldsOf = (type: ChannelTypeName): readonly FormField[] => channelTypeOf(type).form;

export function isRequired(type: ChannelTypeName, name: string): boolean {
  const schema = schemaOf(type, name);
  return !(schema instanceof z.ZodOptional) && !(schema instanceof z.ZodDefault);
}

export function showConfig(type: ChannelTypeName, config: Readonly<Record<string, unknown>> = {}): ConfigValues {
  const known = { ...defaultsOf(channelTypeOf(type).fields), ...config };
  return Object.fromEntries(fieldsOf(type).map((field) => [field.name, showField(field, known[field.name])]));
}

/** Converts form values to the configuration. `null` clears an optional field without a default. */
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

export function checkValues(type: ChannelTypeName, values: ChannelValues): FormError[] {
  return schemaErrors(channelInput, readInput(type, values)).map((error) => ({
    ...error,
    path: pathOf(type, error.path) ?? error.path,
  }));
}

/** Maps a dotted path of the input to the form's, or `null`: `config.chatId` → `config.telegram.chatId`. */
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
