import { partsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type FieldValues, get, useFieldArray, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useText } from "../../../../entities/kinds/kinds.ts";
import { Button } from "../../../../ui/button.tsx";
import { Disclosure } from "../../../../ui/disclosure.tsx";
import { Lockable } from "../../../../ui/field.tsx";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon, PlusIcon } from "../../../../ui/icons.tsx";
import type { FieldGridProps, FieldProps } from "../field.ts";
import { type CheckValues, emptyCheck } from "../values.ts";

const maxSteps = 10;
/** Rarely used fields. Shown when opened, in use, or invalid. */
const details = ["headers", "body", "assertions", "extract"];

type Grid = { Grid: (props: FieldGridProps) => ReactNode };

export function StepsField(props: FieldProps & Grid) {
  const { path, form } = props;
  const { t } = useTranslation();
  const text = useText();
  const { control } = useFormContext<FieldValues>();
  const { fields, append, remove, move } = useFieldArray({ control, name: path });
  // Restores the focus, which a moved button loses.
  const pressed = useRef<HTMLElement>(null);
  useEffect(() => {
    pressed.current?.focus();
    pressed.current = null;
  });
  return (
    <Lockable name={path}>
      <div className="flex flex-col gap-3">
        {form.hint !== undefined && <p className="text-[13px] text-faint">{text(form.hint)}</p>}
        <ol className="flex flex-col gap-3" aria-label={text(form.label)}>
          {fields.map((field, index) => (
            <Step
              key={field.id}
              {...props}
              path={`${path}.${index}`}
              at={index}
              count={fields.length}
              onMove={(step, button) => {
                pressed.current = button;
                move(index, index + step);
              }}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
        {fields.length < maxSteps && (
          <div>
            <Button size="sm" onClick={() => append((emptyCheck("flow")["steps"] as CheckValues[])[0])}>
              <PlusIcon />
              {t("monitorKinds.flow.addStep")}
            </Button>
          </div>
        )}
      </div>
    </Lockable>
  );
}

type StepProps = FieldProps &
  Grid & {
    at: number;
    count: number;
    onMove: (step: 1 | -1, button: HTMLElement) => void;
    onRemove: () => void;
  };

function Step({ Grid, path, form, schema, at, count, onMove, onRemove }: StepProps) {
  const { t } = useTranslation();
  const { getValues, formState } = useFormContext<FieldValues>();
  const number = at + 1;
  const [isOpen, setOpen] = useState(() => {
    const step = getValues(path) as Record<string, { length: number }> | undefined;
    return details.some((name) => (step?.[name]?.length ?? 0) > 0);
  });
  const isShown = isOpen || details.some((name) => get(formState.errors, `${path}.${name}`) !== undefined);
  const moves = [
    { step: -1, ends: at === 0, label: t("monitorKinds.flow.up", { number }), icon: <ArrowUpIcon /> },
    { step: 1, ends: number === count, label: t("monitorKinds.flow.down", { number }), icon: <ArrowDownIcon /> },
  ] as const;
  const parts = Object.entries(form.parts ?? {});
  const grid = { path, shape: partsOf(schema) };
  return (
    <li aria-label={t("monitorKinds.flow.step", { number })} className="rounded-md border border-line p-3">
      <div className="mb-2 flex items-center gap-1">
        <p className="mr-auto text-[13px] font-semibold">{t("monitorKinds.flow.step", { number })}</p>
        {count > 1 &&
          moves.map(({ step, ends, label, icon }) => (
            <Button
              key={step}
              variant="ghost"
              size="icon"
              aria-label={label}
              title={label}
              // Not `disabled`, so that the button keeps its focus.
              aria-disabled={ends || undefined}
              onClick={(event) => {
                if (!ends) onMove(step, event.currentTarget);
              }}
            >
              {icon}
            </Button>
          ))}
        {count > 1 && (
          <Button variant="ghost" size="icon" aria-label={t("monitorKinds.flow.remove", { number })} onClick={onRemove}>
            <CrossIcon />
          </Button>
        )}
      </div>
      <div className="flex flex-col gap-3">
        <Grid {...grid} fields={parts.filter(([name]) => !details.includes(name))} />
        <Disclosure title={t("monitorKinds.flow.more")} open={isShown} onOpenChange={setOpen}>
          <Grid {...grid} fields={parts.filter(([name]) => details.includes(name))} />
        </Disclosure>
      </div>
    </li>
  );
}
