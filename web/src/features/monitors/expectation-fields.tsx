import { assertionOps, assertionSources } from "@sonde/proto/http/assertions";
import { useId } from "react";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { CrossIcon, PlusIcon } from "../../ui/icons.tsx";
import { Input, Select } from "../../ui/inputs.tsx";
import type { AssertionValues, FormValues } from "./form-values.ts";

const newAssertion: AssertionValues = { source: "body", property: "", op: "contains", value: "" };

/** What must hold of the answer. */
export function ExpectationFields() {
  const { t } = useTranslation();
  const { register, control, formState } = useFormContext<FormValues>();
  const { fields, append, remove } = useFieldArray({ control, name: "assertions" });
  const error = formState.errors.expectedStatus?.message;
  return (
    <>
      <Field
        label={t("monitorForm.expectedStatus")}
        error={error}
        hint={t("monitorForm.expectedStatusHint")}
        className="max-w-72"
      >
        {(ids) => <Input {...ids} {...register("expectedStatus")} autoComplete="off" />}
      </Field>
      <div className="flex flex-col gap-2">
        <p className="text-[13px] font-medium">{t("monitorForm.assertions")}</p>
        {fields.map((field, index) => (
          <AssertionRow key={field.id} index={index} onRemove={() => remove(index)} />
        ))}
        <p className="text-[13px] text-faint">{t("monitorForm.assertionsHint")}</p>
        <div>
          <Button size="sm" onClick={() => append(newAssertion)}>
            <PlusIcon />
            {t("monitorForm.addAssertion")}
          </Button>
        </div>
      </div>
    </>
  );
}

function AssertionRow({ index, onRemove }: { index: number; onRemove: () => void }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<FormValues>();
  const { source, op } = useWatch<FormValues, `assertions.${number}`>({ name: `assertions.${index}` });
  const errors = formState.errors.assertions?.[index];
  const error = errors?.property?.message ?? errors?.value?.message ?? errors?.op?.message ?? errors?.message;
  const hasProperty = source === "header" || source === "json";
  const noteId = useId();
  const marks = (fault: unknown) => (fault === undefined ? {} : { "aria-invalid": true, "aria-describedby": noteId });
  return (
    <div role="group" aria-label={t("monitorForm.assertion", { number: index + 1 })} className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
        <Select
          {...register(`assertions.${index}.source`)}
          aria-label={t("monitorForm.source")}
          className="flex-1 basis-36"
        >
          {assertionSources.map((each) => (
            <option key={each} value={each}>
              {t(`monitorForm.sources.${each}`)}
            </option>
          ))}
        </Select>
        {hasProperty && (
          <Input
            {...register(`assertions.${index}.property`)}
            mono
            aria-label={t("monitorForm.property")}
            {...marks(errors?.property)}
            placeholder={source === "header" ? t("monitorForm.propertyHeader") : t("monitorForm.propertyJson")}
            className="flex-1 basis-36"
          />
        )}
        <Select
          {...register(`assertions.${index}.op`)}
          aria-label={t("monitorForm.op")}
          {...marks(errors?.op)}
          className="flex-1 basis-36"
        >
          {assertionOps.map((each) => (
            <option key={each} value={each}>
              {t(`monitorForm.ops.${each}`)}
            </option>
          ))}
        </Select>
        {op !== "exists" && (
          <Input
            {...register(`assertions.${index}.value`)}
            mono
            aria-label={t("monitorForm.value")}
            {...marks(errors?.value)}
            placeholder={t("monitorForm.value")}
            className="flex-1 basis-36"
          />
        )}
        <Button
          variant="ghost"
          size="icon"
          className="ml-auto"
          aria-label={t("common.removeNumber", { number: index + 1 })}
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
