import type { FieldPath, UseFormReturn } from "react-hook-form";
import type { ApiError } from "../../app/api.ts";
import { emptyValues, type FormValues } from "./form-values.ts";

/**
 * Puts the server's faults beside their fields; answers the words of those that no field of the form has.
 * A path is dotted, `headers.0.value`. A fault of one tag or one location belongs to the whole field.
 */
export function applyServerFaults(form: UseFormReturn<FormValues>, faults: ApiError["fields"]): string[] {
  const homeless: string[] = [];
  for (const { path, message } of faults) {
    const [field = ""] = path.split(".");
    if (!(field in emptyValues)) homeless.push(message);
    else
      form.setError((field === "tags" || field === "locations" ? field : path) as FieldPath<FormValues>, { message });
  }
  return homeless;
}
