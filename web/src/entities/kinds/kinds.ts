import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { hostAndPort, typedHost } from "../../lib/typed.ts";
import type { FieldForm, CheckFields, KindForm, Text } from "./kind-form.ts";
import { sharedForm } from "./shared.ts";

/** The `form` export of each `forms/<kind>.ts`, by path. */
const files = import.meta.glob<KindForm>("./forms/*.ts", { eager: true, import: "form" });

export const kindForms = Object.fromEntries(
  Object.entries(files).map(([path, form]) => [path.slice("./forms/".length, -".ts".length), form]),
) as Readonly<Record<CheckType, KindForm>>;

/** Names of the fields below **Advanced**. */
export const advancedNames = (type: CheckType): string[] =>
  Object.entries(kindForms[type].fields).flatMap(([name, { place }]) =>
    place === "address" || place === "basic" ? [] : [name],
  );

/** Returns a function that picks the text in the app's language. */
export function useText(): (text: Text) => string {
  const { i18n } = useTranslation();
  return (text) => (i18n.language === "zh-CN" ? text.zh : text.en);
}

/** Label of a monitor field in the audit log; `undefined` if no form describes it. */
export function fieldLabel(name: string): Text | undefined {
  const forms: readonly Readonly<Record<string, FieldForm>>[] = [
    sharedForm,
    ...Object.values(kindForms).map(({ fields }) => fields),
  ];
  const field = forms.find((fields) => name in fields)?.[name];
  if (field?.unit === undefined) return field?.label;
  return { en: `${field.label.en} (${field.unit.en})`, zh: `${field.label.zh}（${field.unit.zh}）` };
}

/** Proposes a monitor name from the typed address; empty without an address. */
export function proposedName(type: CheckType, values: CheckFields): string {
  const { proposeName, fields } = kindForms[type];
  if (proposeName !== undefined) return proposeName(values);
  const { url, host, port } = values;
  if (typeof url === "string") return typedHost(url);
  if (typeof host !== "string") return "";
  const usual = fields["port"]?.usual?.(values);
  return hostAndPort(host, typeof port === "string" && port !== "" ? port : String(usual ?? ""));
}
