import { type ReactNode, useId } from "react";
import { type FieldValues, get, useFieldArray, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useText } from "../../../../entities/kinds/kinds.ts";
import { Button } from "../../../../ui/button.tsx";
import { Lockable } from "../../../../ui/field.tsx";
import { CrossIcon, PlusIcon } from "../../../../ui/icons.tsx";
import type { FieldProps } from "../field.ts";

type RowsProps = FieldProps & {
  added: object;
  addLabel: string;
  rowLabel: (number: number) => string;
  /** Parts of a row that can be invalid, in the order in which errors are shown. */
  parts: readonly string[];
  /** Renders the controls of a row. `control` connects a control to the form and its error. */
  children: (path: string, control: (part: string) => RowControl) => ReactNode;
};
export type RowControl = ReturnType<ReturnType<typeof useFormContext<FieldValues>>["register"]> & {
  "aria-invalid"?: true;
  "aria-describedby"?: string;
  className: string;
};

export function Rows({ path, form, added, addLabel, rowLabel, parts, children }: RowsProps) {
  const text = useText();
  const { control } = useFormContext<FieldValues>();
  const { fields, append, remove } = useFieldArray({ control, name: path });
  return (
    <Lockable name={path}>
      <div className="flex flex-col gap-2">
        <p className="text-[13px] font-medium">{text(form.label)}</p>
        {fields.map((field, index) => (
          <Row
            key={field.id}
            path={`${path}.${index}`}
            label={rowLabel(index + 1)}
            number={index + 1}
            {...{ parts, children }}
            onRemove={() => remove(index)}
          />
        ))}
        {form.hint !== undefined && <p className="text-[13px] text-faint">{text(form.hint)}</p>}
        <div>
          <Button size="sm" onClick={() => append(added)}>
            <PlusIcon />
            {addLabel}
          </Button>
        </div>
      </div>
    </Lockable>
  );
}

type RowProps = Pick<RowsProps, "path" | "parts" | "children"> & {
  label: string;
  number: number;
  onRemove: () => void;
};

function Row({ path, label, number, parts, children, onRemove }: RowProps) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<FieldValues>();
  const noteId = useId();
  const errors = get(formState.errors, path) as Record<string, { message?: string }> | undefined;
  const own = (errors as { message?: string } | undefined)?.message;
  const error = parts.map((part) => errors?.[part]?.message).find((message) => message !== undefined) ?? own;
  const control = (part: string): RowControl => ({
    ...register(`${path}.${part}`),
    ...(errors?.[part] !== undefined && { "aria-invalid": true, "aria-describedby": noteId }),
    className: "flex-1 basis-36",
  });
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
        {children(path, control)}
        <Button
          variant="ghost"
          size="icon"
          className="ml-auto"
          aria-label={t("common.removeNumber", { number })}
          onClick={onRemove}
        >
          <CrossIcon />
        </Button>
      </div>
      {error !== undefined && (
        <p id={noteId} role="alert" className="text-[13px] break-words text-down-ink">
          {error}
        </p>
      )}
    </div>
  );
}
