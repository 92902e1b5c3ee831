import type { ReactNode } from "react";
import type { FieldForm } from "../../../entities/kinds/kind-form.ts";

export type FieldProps = {
  /** Its path in the form: `tcp.host`. */
  path: string;
  form: FieldForm;
  schema: unknown;
  autoFocus?: boolean;
  /** Belongs to something that may be left out, so it is not marked as required. */
  isOptional?: boolean;
};

export type FieldGridProps = {
  /** The path of the fields in the form: `tcp`; empty at its top. */
  path: string;
  fields: readonly (readonly [string, FieldForm])[];
  shape: Readonly<Record<string, unknown>>;
  /** What comes first. */
  children?: ReactNode;
} & Pick<FieldProps, "autoFocus" | "isOptional">;
