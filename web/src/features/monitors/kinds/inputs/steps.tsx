import { partsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type ReactNode, useState } from "react";
import { type FieldValues, get, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { OrderedFields } from "../../../../app/forms/ordered-fields.tsx";
import { useText } from "../../../../entities/kinds/kinds.ts";
import { Disclosure } from "../../../../ui/disclosure.tsx";
import { Lockable } from "../../../../ui/field.tsx";
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
  return (
    <Lockable name={path}>
      <div className="flex flex-col gap-3">
        {form.hint !== undefined && <p className="text-[13px] text-faint">{text(form.hint)}</p>}
        <OrderedFields
          name={path}
          label={text(form.label)}
          min={1}
          max={maxSteps}
          added={() => (emptyCheck("flow")["steps"] as CheckValues[])[0]!}
          wordOf={(what, number) => t(`monitorKinds.flow.${what}`, { number })}
        >
          {(index) => <Step {...props} path={`${path}.${index}`} />}
        </OrderedFields>
      </div>
    </Lockable>
  );
}

function Step({ Grid, path, form, schema }: FieldProps & Grid) {
  const { t } = useTranslation();
  const { getValues, formState } = useFormContext<FieldValues>();
  const [isOpen, setOpen] = useState(() => {
    const step = getValues(path) as Record<string, { length: number }> | undefined;
    return details.some((name) => (step?.[name]?.length ?? 0) > 0);
  });
  const isShown = isOpen || details.some((name) => get(formState.errors, `${path}.${name}`) !== undefined);
  const parts = Object.entries(form.parts ?? {});
  const grid = { path, shape: partsOf(schema) };
  return (
    <div className="flex flex-col gap-3">
      <Grid {...grid} fields={parts.filter(([name]) => !details.includes(name))} />
      <Disclosure title={t("monitorKinds.flow.more")} open={isShown} onOpenChange={setOpen}>
        <Grid {...grid} fields={parts.filter(([name]) => details.includes(name))} />
      </Disclosure>
    </div>
  );
}
