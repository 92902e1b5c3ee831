import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import type { CheckValues, KindForm } from "./kind-form.ts";

type AnyForm = KindForm<CheckType, CheckValues>;

/** What each `<kind>.tsx` beside this file exports as `form`, by the path of its file. */
const files = import.meta.glob<AnyForm>(["./*.tsx", "!./*.test.tsx"], { eager: true, import: "form" });
const forms = Object.fromEntries(
  Object.entries(files).map(([path, form]) => [path.slice("./".length, -".tsx".length), form]),
) as Readonly<Record<CheckType, AnyForm>>;

/** The kinds that have a form. */
export const formTypes = Object.keys(forms);

/** The form and the summary of a kind. Its functions take checks and values of that kind alone. */
export function formOf(type: CheckType): AnyForm {
  return forms[type];
}
