import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { hostAndPort, typedHost } from "../../lib/typed.ts";
import type { FieldForm, CheckFields, KindForm, Text } from "./kind-form.ts";
import { sharedForm } from "./shared.ts";

/** What each `forms/<kind>.ts` exports as `form`, by the path of its file. */
const files = import.meta.glob<KindForm>("./forms/*.ts", { eager: true, import: "form" });

export const kindForms = Object.fromEntries(
  Object.entries(files).map(([path, form]) => [path.slice("./forms/".length, -".ts".length), form]),
) as Readonly<Record<CheckType, KindForm>>;

/** The names of the fields that are below 'advanced'. */
export const advancedNames = (type: CheckType): string[] =>
  Object.entries(kindForms[type].fields).flatMap(([name, { place }]) =>
    place === undefined || place === "address" ? [] : [name],
  );

/** A text in the app's language. */
export function useText(): (text: Text) => string {
  const { i18n } = useTranslation();
  return (text) => (i18n.language === "zh-CN" ? text.zh : text.en);
}

/** What the audit calls a field of a monitor; undefined for a field that is not described here. */
export function fieldLabel(name: string): Text | undefined {
  const forms: readonly Readonly<Record<string, FieldForm>>[] = [
    sharedForm,
    ...Object.values(kindForms).map(({ fields }) => fields),
  ];
  const field = forms.find((fields) => name in fields)?.[name];
  if (field?.unit === undefined) return field?.label;
  return { en: `${field.label.en} (${field.unit.en})`, zh: `${field.label.zh}（${field.unit.zh}）` };
}

/** A name for a monitor, made of the typed address; empty while there is none. */
export function proposedName(type: CheckType, values: CheckFields): string {
  const { proposeName, fields } = kindForms[type];
  if (proposeName !== undefined) return proposeName(values);
  const { url, host, port } = values;
  if (typeof url === "string") return typedHost(url);
  if (typeof host !== "string") return "";
  const usual = fields["port"]?.usual?.(values);
  return hostAndPort(host, typeof port === "string" && port !== "" ? port : String(usual ?? ""));
}
