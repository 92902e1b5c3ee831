import type { ReactNode } from "react";
import type { FieldForm } from "../../../entities/kinds/kind-form.ts";

export type FieldProps = {
  /** Path in the form, for example `tcp.host`. */
  path: string;
  form: FieldForm;
  schema: unknown;
  /** Part of an optional value, so it is not marked as required. */
  isOptional?: boolean;
};

export type FieldGridProps = {
  /** Path of the fields in the form, for example `tcp`. Empty at the top level. */
  path: string;
  fields: readonly (readonly [string, FieldForm])[];
  shape: Readonly<Record<string, unknown>>;
  children?: ReactNode;
} & Pick<FieldProps, "isOptional">;
