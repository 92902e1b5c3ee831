import { type CheckType, checkTypes } from "@sonde/proto/http/kinds";
import type { FieldPath, UseFormReturn } from "react-hook-form";
import type { FormValues } from "./form-values.ts";
import { formOf } from "./kinds/registry.ts";

/** Fields that mean the same in every kind that has them. */
const sameEverywhere = ["host", "port"];

/** Gives the other kinds what was typed for this one and is theirs as well. */
export function shareTyped(form: UseFormReturn<FormValues>, type: CheckType) {
  for (const name of sameEverywhere) {
    const typed = form.getValues(type)?.[name];
    if (typed === undefined || typed === formOf(type).empty[name]) continue;
    for (const other of checkTypes) {
      if (name in formOf(other).empty) {
        form.setValue(`${other}.${name}` as FieldPath<FormValues>, typed as never, { shouldDirty: true });
      }
    }
  }
}
