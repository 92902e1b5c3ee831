import type { ComponentProps, ReactNode } from "react";
import { type FieldPath, type FieldValues, useFormContext, type UseFormRegisterReturn } from "react-hook-form";
import { Field, type FieldIds, Lockable } from "./field.tsx";
import { Input, Select, Textarea } from "./inputs.tsx";

type FormFieldProps<Values extends FieldValues> = {
  name: FieldPath<Values>;
  label: ReactNode;
  hint?: ReactNode;
  required?: boolean;
  className?: string;
  /** Props of a single-line text field. */
  input?: ComponentProps<typeof Input>;
  /** Makes the field a select with these options. `selectClass` sets its width. */
  options?: ComponentProps<typeof Select>["options"];
  selectClass?: string;
  /** Renders another control with its form binding, label and error. */
  children?: (
    props: FieldIds & UseFormRegisterReturn & { autoComplete: "off"; "aria-required": true | undefined },
  ) => ReactNode;
};

export function FormField<Values extends FieldValues>(props: FormFieldProps<Values>) {
  const { name, input, options, selectClass = "w-full", children, ...rest } = props;
  const { register, getFieldState, formState } = useFormContext<Values>();
  return (
    <Lockable name={name} className={rest.className}>
      <Field {...rest} error={getFieldState(name, formState).error?.message}>
        {(ids) => {
          const bound = { ...ids, ...register(name), "aria-required": rest.required || undefined } as const;
          if (children !== undefined) return children({ ...bound, autoComplete: "off" });
          if (options !== undefined) return <Select {...bound} className={selectClass} options={options} />;
          return <Input autoComplete="off" {...bound} {...input} />;
        }}
      </Field>
    </Lockable>
  );
}

type TextFieldProps<Values extends FieldValues> = Omit<FormFieldProps<Values>, "input" | "options" | "children"> &
  Pick<ComponentProps<typeof Input>, "mono" | "placeholder" | "inputMode" | "autoFocus"> & {
    rows?: number;
  };

export function TextField<Values extends FieldValues>(props: TextFieldProps<Values>) {
  const { rows, mono, placeholder, inputMode, autoFocus, ...field } = props;
  const input = { mono, placeholder, inputMode, autoFocus, ...(mono && { spellCheck: false }) };
  if (rows === undefined) return <FormField<Values> {...field} input={input} />;
  return <FormField<Values> {...field}>{(control) => <Textarea {...control} {...input} rows={rows} />}</FormField>;
}
