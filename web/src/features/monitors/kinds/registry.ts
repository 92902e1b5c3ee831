import type { Check, CheckDraft, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { ReactNode } from "react";

type AnyForm = KindForm<CheckType, CheckValues>;

/** What each `<kind>.tsx` beside this file exports as `form`, by the path of its file. */
const files = import.meta.glob<AnyForm>(["./*.tsx", "!./*.test.tsx"], { eager: true, import: "form" });
const forms = Object.fromEntries(
  Object.entries(files).map(([path, form]) => [path.slice("./".length, -".tsx".length), form]),
) as Readonly<Record<CheckType, AnyForm>>;

export const formTypes = Object.keys(forms);

/** The form of a kind. Its functions take checks and values of that kind alone. */
export function formOf(type: CheckType): AnyForm {
  return forms[type];
}

/** What is in the fields of a kind, as it was typed. */
export type CheckValues = Record<string, unknown>;

/** What the screens know of one kind of check. Its fields stand in the form under its type: `tcp.host`. */
export type KindForm<Type extends CheckType, Values extends CheckValues> = {
  empty: Values;
  /** A stored check as the form shows it. */
  show(check: Extract<Check, { type: Type }>): Values;
  /** What the form sends. A number that cannot be read is NaN, which the contract's schema reports. */
  read(values: Values): CheckDraft & { type: Type };
  /** What to set before the form is checked and sent: lists without the empty rows. */
  tidy?(values: Values): Partial<Values>;
  /** A name made of the address that was typed; empty while there is none. It may become public: no path, no secret. */
  proposeName(values: Values): string;
  /** The fields of its address, above the name. `autoFocus`: the first of them takes the cursor. */
  Address(props: { autoFocus?: boolean }): ReactNode;
  Fields?(): ReactNode;
  /** Fields with good defaults, shown below 'advanced': their names, and how they are drawn. */
  advanced?: { names: readonly (keyof Values & string)[]; Fields(): ReactNode };
};
