import type { ReactNode } from "react";
import { type FieldPath, type FieldValues, useFormContext, type UseFormRegisterReturn } from "react-hook-form";
import { Field, type FieldIds } from "./field.tsx";

type FormFieldProps<Values extends FieldValues> = {
  name: FieldPath<Values>;
  label: ReactNode;
  hint?: ReactNode;
  required?: boolean;
  className?: string;
  /** Draws the control with what ties it to the form, its label and its error. */
  children: (props: FieldIds & UseFormRegisterReturn & { autoComplete: "off" }) => ReactNode;
};

/** A field of the form around it, with what is wrong with it. */
export function FormField<Values extends FieldValues>({ name, children, ...rest }: FormFieldProps<Values>) {
  const { register, getFieldState, formState } = useFormContext<Values>();
  return (
    <Field {...rest} error={getFieldState(name, formState).error?.message}>
      {(ids) => children({ ...ids, ...register(name), autoComplete: "off" })}
    </Field>
  );
}
