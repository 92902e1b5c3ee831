import type { CheckType } from "@sonde/proto/http/kinds";
import type { FieldPath, UseFormReturn } from "react-hook-form";
import type { ApiError } from "../../app/api.ts";
import { fieldOf, type FormValues } from "./form-values.ts";

/** Puts the server's faults beside their fields; answers the words of those that no field of the form has. */
export function applyServerFaults(
  form: UseFormReturn<FormValues>,
  type: CheckType,
  faults: ApiError["fields"],
): string[] {
  const unplaced: string[] = [];
  for (const { path, message } of faults) {
    const field = fieldOf(type, form.getValues(), path);
    if (field === null) unplaced.push(message);
    else form.setError(field as FieldPath<FormValues>, { message });
  }
  return unplaced;
}
