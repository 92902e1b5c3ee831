import { assertionOps, assertionSources } from "@sonde/proto/http/monitors/assertions";
import { useId } from "react";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../ui/button.tsx";
import { FormField } from "../../../../ui/form-field.tsx";
import { CrossIcon, PlusIcon } from "../../../../ui/icons.tsx";
import { Input, Select } from "../../../../ui/inputs.tsx";
import type { AssertionValues, HttpForm } from "./values.ts";

const newAssertion: AssertionValues = { source: "body", property: "", op: "contains", value: "" };

/** What must hold of the answer. */
export function ExpectationFields() {
  const { t } = useTranslation();
  const { control } = useFormContext<HttpForm>();
  const { fields, append, remove } = useFieldArray({ control, name: "http.assertions" });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField<HttpForm>
          name="http.expectedStatus"
          label={t("monitorKinds.http.expectedStatus")}
          hint={t("monitorKinds.http.expectedStatusHint")}
        >
          {(props) => <Input {...props} />}
        </FormField>
        <CertificateDays />
      </div>
      <div className="flex flex-col gap-2">
        <p className="text-[13px] font-medium">{t("monitorKinds.http.assertions")}</p>
        {fields.map((field, index) => (
          <AssertionRow key={field.id} index={index} onRemove={() => remove(index)} />
        ))}
        <p className="text-[13px] text-faint">{t("monitorKinds.http.assertionsHint")}</p>
        <div>
          <Button size="sm" onClick={() => append(newAssertion)}>
            <PlusIcon />
            {t("monitorKinds.http.addAssertion")}
          </Button>
        </div>
      </div>
    </>
  );
}

/** For HTTPS alone; a value that is there already stays in sight. */
function CertificateDays() {
  const { t } = useTranslation();
  const [url, minDaysLeft] = useWatch<HttpForm, ["http.url", "http.minDaysLeft"]>({
    name: ["http.url", "http.minDaysLeft"],
  });
  if (minDaysLeft === "" && /^http:/i.test(url.trim())) return null;
  return (
    <FormField<HttpForm>
      name="http.minDaysLeft"
      label={t("monitorKinds.minDaysLeft")}
      hint={t("monitorKinds.http.minDaysLeftHint")}
    >
      {(props) => <Input {...props} inputMode="numeric" />}
    </FormField>
  );
}

function AssertionRow({ index, onRemove }: { index: number; onRemove: () => void }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<HttpForm>();
  const { source, op } = useWatch<HttpForm, `http.assertions.${number}`>({ name: `http.assertions.${index}` });
  const errors = formState.errors.http?.assertions?.[index];
  const error = errors?.property?.message ?? errors?.value?.message ?? errors?.op?.message ?? errors?.message;
  const hasProperty = source === "header" || source === "json";
  const noteId = useId();
  const marks = (fault: unknown) => (fault === undefined ? {} : { "aria-invalid": true, "aria-describedby": noteId });
  return (
    <div
      role="group"
      aria-label={t("monitorKinds.http.assertion", { number: index + 1 })}
      className="flex flex-col gap-1"
    >
      <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
        <Select
          {...register(`http.assertions.${index}.source`)}
          aria-label={t("monitorKinds.http.source")}
          className="flex-1 basis-36"
        >
          {assertionSources.map((each) => (
            <option key={each} value={each}>
              {t(`monitorKinds.http.sources.${each}`)}
            </option>
          ))}
        </Select>
        {hasProperty && (
          <Input
            {...register(`http.assertions.${index}.property`)}
            mono
            aria-label={t("monitorKinds.http.property")}
            {...marks(errors?.property)}
            placeholder={
              source === "header" ? t("monitorKinds.http.propertyHeader") : t("monitorKinds.http.propertyJson")
            }
            className="flex-1 basis-36"
          />
        )}
        <Select
          {...register(`http.assertions.${index}.op`)}
          aria-label={t("monitorKinds.http.op")}
          {...marks(errors?.op)}
          className="flex-1 basis-36"
        >
          {assertionOps.map((each) => (
            <option key={each} value={each}>
              {t(`monitorKinds.http.ops.${each}`)}
            </option>
          ))}
        </Select>
        {op !== "exists" && (
          <Input
            {...register(`http.assertions.${index}.value`)}
            mono
            aria-label={t("monitorKinds.http.value")}
            {...marks(errors?.value)}
            placeholder={t("monitorKinds.http.value")}
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
