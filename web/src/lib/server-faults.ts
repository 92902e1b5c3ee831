import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";

/** Puts the server's faults beside the fields of a form; answers the words of those that no field of it has. */
export function placeFaults<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  fields: readonly FieldPath<Values>[],
  faults: readonly { path: string; message: string }[],
): string[] {
  const unplaced: string[] = [];
  for (const { path, message } of faults) {
    const field = fields.find((each) => each === path);
    if (field === undefined) unplaced.push(message);
    else form.setError(field, { message }, { shouldFocus: unplaced.length === 0 });
  }
  return unplaced;
}
