import { extractSources } from "@sonde/proto/http/monitors/checks/flow";
import { assertionSources } from "@sonde/proto/http/monitors/assertions";
import { methods } from "@sonde/proto/http/monitors/checks/http";
import { useEffect, useId, useRef, useState } from "react";
import { get, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../ui/button.tsx";
import { Lockable } from "../../../../ui/field.tsx";
import { FormField, TextField } from "../../../../ui/form-field.tsx";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon, PlusIcon } from "../../../../ui/icons.tsx";
import { Input, Select } from "../../../../ui/inputs.tsx";
import { AssertionsField, HeadersField } from "../http/fields.tsx";
import { emptyExtract, emptyStep, type FlowForm, type StepValues } from "./values.ts";

const mostSteps = 10;

/** The steps in their order: added, taken away, and moved by their buttons. */
export function Steps({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const { control } = useFormContext<FlowForm>();
  const { fields, append, remove, move } = useFieldArray({ control, name: "flow.steps" });
  // A step that moves in the page loses the focus of its button.
  const pressed = useRef<HTMLElement>(null);
  useEffect(() => {
    pressed.current?.focus();
    pressed.current = null;
  });
  return (
    <Lockable name="flow.steps">
      <div className="flex flex-col gap-3">
        <p className="text-[13px] text-faint">{t("monitorKinds.flow.stepsHint", { name: "{{name}}" })}</p>
        <ol className="flex flex-col gap-3" aria-label={t("monitorKinds.flow.steps")}>
          {fields.map((field, index) => (
            <Step
              key={field.id}
              at={index}
              count={fields.length}
              autoFocus={autoFocus === true && index === 0}
              onMove={(step, button) => {
                pressed.current = button;
                move(index, index + step);
              }}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
        {fields.length < mostSteps && (
          <div>
            <Button size="sm" onClick={() => append(emptyStep)}>
              <PlusIcon />
              {t("monitorKinds.flow.addStep")}
            </Button>
          </div>
        )}
      </div>
    </Lockable>
  );
}

type StepProps = {
  at: number;
  count: number;
  autoFocus: boolean;
  onMove: (step: 1 | -1, button: HTMLElement) => void;
  onRemove: () => void;
};

function Step({ at, count, autoFocus, onMove, onRemove }: StepProps) {
  const { t } = useTranslation();
  const number = at + 1;
  const path = `flow.steps.${at}` as const;
  const moves = [
    { step: -1, ends: at === 0, label: t("monitorKinds.flow.up", { number }), icon: <ArrowUpIcon /> },
    { step: 1, ends: number === count, label: t("monitorKinds.flow.down", { number }), icon: <ArrowDownIcon /> },
  ] as const;
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
              // It stays in reach, so that pressing it again loses nothing.
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
        <div className="grid gap-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
          <FormField<FlowForm>
            name={`${path}.method`}
            label={t("monitorKinds.http.method")}
            options={methods.map((value) => ({ value, label: value }))}
          />
          <TextField<FlowForm>
            name={`${path}.url`}
            label={t("monitorKinds.http.url")}
            placeholder="https://shop.example.com/login"
            inputMode="url"
            autoFocus={autoFocus}
            required
            mono
          />
          <TextField<FlowForm> name={`${path}.expectedStatus`} label={t("monitorKinds.flow.status")} />
          <TextField<FlowForm>
            name={`${path}.name`}
            label={t("monitorKinds.flow.stepName")}
            hint={t("monitorKinds.flow.stepNameHint")}
          />
        </div>
        <StepDetails at={at} />
      </div>
    </li>
  );
}

const details = ["headers", "body", "assertions", "extract"] as const;

/** What many steps do without: shown once it is opened, is in use, or has a fault. */
function StepDetails({ at }: { at: number }) {
  const { t } = useTranslation();
  const path = `flow.steps.${at}` as const;
  const { getValues, formState } = useFormContext<FlowForm>();
  const [isOpen, setOpen] = useState(() => {
    const step = getValues(path) as StepValues | undefined;
    return details.some((name) => (step?.[name].length ?? 0) > 0);
  });
  const faults = formState.errors.flow?.steps?.[at];
  const isShown = isOpen || details.some((name) => faults?.[name] !== undefined);
  return (
    <details open={isShown} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-flex min-h-6 items-center text-[13px] text-accent-strong">
        {t("monitorKinds.flow.more")}
      </summary>
      {isShown && (
        <div className="flex flex-col gap-4 pt-3">
          <HeadersField kind={path} />
          <TextField<FlowForm> name={`${path}.body`} label={t("monitorKinds.http.body")} mono rows={3} />
          <AssertionsField kind={path} sources={assertionSources} hint={t("monitorKinds.http.assertionsHint")} />
          <ExtractField at={at} />
        </div>
      )}
    </details>
  );
}

/** The values that later steps have of the answer. */
function ExtractField({ at }: { at: number }) {
  const { t } = useTranslation();
  const { control } = useFormContext<FlowForm>();
  const { fields, append, remove } = useFieldArray({ control, name: `flow.steps.${at}.extract` });
  return (
    <div className="flex flex-col gap-2">
      <p className="text-[13px] font-medium">{t("monitorKinds.flow.extract")}</p>
      {fields.map((field, index) => (
        <ExtractRow key={field.id} at={at} index={index} onRemove={() => remove(index)} />
      ))}
      <p className="text-[13px] text-faint">{t("monitorKinds.flow.extractHint")}</p>
      <div>
        <Button size="sm" onClick={() => append(emptyExtract)}>
          <PlusIcon />
          {t("monitorKinds.flow.addExtract")}
        </Button>
      </div>
    </div>
  );
}

function ExtractRow({ at, index, onRemove }: { at: number; index: number; onRemove: () => void }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<FlowForm>();
  const path = `flow.steps.${at}.extract.${index}` as const;
  const source = useWatch<FlowForm, `${typeof path}.source`>({ name: `${path}.source` });
  const errors = get(formState.errors, path) as Partial<Record<"name" | "property", { message?: string }>> | undefined;
  const error = errors?.name?.message ?? errors?.property?.message;
  const noteId = useId();
  const part = (name: "name" | "source" | "property") => ({
    ...register(`${path}.${name}`),
    "aria-label": t(`monitorKinds.flow.extractParts.${name}`),
    ...(name !== "source" && errors?.[name] && { "aria-invalid": true, "aria-describedby": noteId }),
    className: "flex-1 basis-36",
  });
  return (
    <div role="group" aria-label={t("monitorKinds.flow.value", { number: index + 1 })} className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
        <Input {...part("name")} mono spellCheck={false} placeholder={t("monitorKinds.flow.extractParts.name")} />
        <Select
          {...part("source")}
          options={extractSources.map((value) => ({ value, label: t(`monitorKinds.flow.sources.${value}`) }))}
        />
        {source !== "status" && (
          <Input
            {...part("property")}
            mono
            spellCheck={false}
            placeholder={t(`monitorKinds.flow.properties.${source}`)}
          />
        )}
        <Button
          variant="ghost"
          size="icon"
          aria-label={t("common.removeNumber", { number: index + 1 })}
          onClick={onRemove}
        >
          <CrossIcon />
        </Button>
      </div>
      {error !== undefined && (
        <p id={noteId} role="alert" className="text-[13px] text-down-ink">
          {error}
        </p>
      )}
    </div>
  );
}
