import { assertionOps, type AssertionSource, assertionSources } from "@sonde/proto/http/monitors/assertions";
import { isPlaceholder } from "@sonde/proto/http/monitors/checks/flow";
import { isSecretHeader, methods } from "@sonde/proto/http/monitors/checks/http";
import { useId } from "react";
import { get, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../ui/button.tsx";
import { FieldGroup, Lockable } from "../../../../ui/field.tsx";
import { FormField, TextField } from "../../../../ui/form-field.tsx";
import { CrossIcon, PlusIcon } from "../../../../ui/icons.tsx";
import { Input, Select, Switch } from "../../../../ui/inputs.tsx";
import { KeyValueEditor } from "../../../../ui/key-value-editor.tsx";
import type { AssertionValues, HttpForm } from "./values.ts";

const usualHeaders = ["Accept", "Authorization", "Content-Type", "User-Agent", "X-Api-Key"];

export function RequestFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<HttpForm>();
  return (
    <FieldGroup title={t("monitorKinds.http.request")}>
      <FormField<HttpForm> name="http.method" label={t("monitorKinds.http.method")} className="max-w-48">
        {(props) => (
          <Select {...props}>
            {methods.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        )}
      </FormField>
      <HeadersField kind="http" />
      <TextField<HttpForm> name="http.body" label={t("monitorKinds.http.body")} mono rows={4} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Switch label={t("monitorKinds.http.followRedirects")} {...register("http.followRedirects")} />
        <Switch
          label={t("monitorKinds.http.verifyTls")}
          hint={t("monitorKinds.http.verifyTlsHint")}
          {...register("http.verifyTls")}
        />
      </div>
    </FieldGroup>
  );
}

/** Where headers or assertions stand in a form, which has them as that of HTTP has. */
type FieldsOfKind = { kind: "http" | "websocket" | "postgres" | "mysql" | `flow.steps.${number}` };
const pathOf = <Field extends "headers" | "assertions">(kind: FieldsOfKind["kind"], field: Field) =>
  `${kind}.${field}` as `http.${Field}`;

function useErrors(kind: FieldsOfKind["kind"]) {
  const { errors } = useFormContext<HttpForm>().formState;
  return get(errors, kind) as (typeof errors)["http"];
}

export function HeadersField({ kind }: FieldsOfKind) {
  const { t } = useTranslation();
  const { setValue, formState } = useFormContext<HttpForm>();
  const { isSubmitted } = formState;
  const errors = useErrors(kind);
  const name = pathOf(kind, "headers");
  const headers = useWatch<HttpForm, "http.headers">({ name });
  return (
    <Lockable name={name}>
      <div className="flex flex-col gap-1.5">
        <p className="text-[13px] font-medium">{t("monitorKinds.http.headers")}</p>
        <KeyValueEditor
          label={t("monitorKinds.http.headers")}
          nameLabel={t("monitorKinds.http.headerName")}
          valueLabel={t("monitorKinds.http.headerValue")}
          addLabel={t("monitorKinds.http.addHeader")}
          pairs={headers}
          onChange={(pairs) => setValue(name, pairs, { shouldDirty: true, shouldValidate: isSubmitted })}
          errorOf={(index, part) => errors?.headers?.[index]?.[part]?.message}
          // What fills a placeholder is no secret of the form.
          isSecret={({ name: header, value }) =>
            isSecretHeader(header) && !(kind.startsWith("flow.") && isPlaceholder(value))
          }
          suggestions={usualHeaders}
        />
        <p className="text-[13px] text-faint">{t("monitorKinds.http.headersHint")}</p>
      </div>
    </Lockable>
  );
}

const newAssertion: AssertionValues = { source: "body", property: "", op: "contains", value: "" };
const newRowAssertion: AssertionValues = { source: "json", property: "", op: "equals", value: "" };

export function ExpectationFields() {
  const { t } = useTranslation();
  return (
    <FieldGroup title={t("monitorKinds.http.expectation")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField<HttpForm>
          name="http.expectedStatus"
          label={t("monitorKinds.http.expectedStatus")}
          hint={t("monitorKinds.http.expectedStatusHint")}
        />
        <CertificateDays />
      </div>
      <AssertionsField kind="http" sources={assertionSources} hint={t("monitorKinds.http.assertionsHint")} />
    </FieldGroup>
  );
}

type AssertionsProps = FieldsOfKind & { sources: readonly AssertionSource[]; hint: string };

export function AssertionsField({ kind, sources, hint }: AssertionsProps) {
  const { t } = useTranslation();
  const { control } = useFormContext<HttpForm>();
  const name = pathOf(kind, "assertions");
  const { fields, append, remove } = useFieldArray({ control, name });
  return (
    <Lockable name={name}>
      <div className="flex flex-col gap-2">
        <p className="text-[13px] font-medium">{t("monitorKinds.http.assertions")}</p>
        {fields.map((field, index) => (
          <AssertionRow key={field.id} kind={kind} sources={sources} index={index} onRemove={() => remove(index)} />
        ))}
        <p className="text-[13px] text-faint">{hint}</p>
        <div>
          <Button size="sm" onClick={() => append(sources.includes("body") ? newAssertion : newRowAssertion)}>
            <PlusIcon />
            {t("monitorKinds.http.addAssertion")}
          </Button>
        </div>
      </div>
    </Lockable>
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
    <TextField<HttpForm>
      name="http.minDaysLeft"
      label={t("monitorKinds.minDaysLeft")}
      hint={t("monitorKinds.http.minDaysLeftHint")}
      inputMode="numeric"
    />
  );
}

type RowProps = Omit<AssertionsProps, "hint"> & { index: number; onRemove: () => void };

function AssertionRow({ kind, sources, index, onRemove }: RowProps) {
  const { t } = useTranslation();
  const { register } = useFormContext<HttpForm>();
  const path = `${pathOf(kind, "assertions")}.${index}` as const;
  const { source, op } = useWatch<HttpForm, `http.assertions.${number}`>({ name: path });
  const errors = useErrors(kind)?.assertions?.[index];
  const error = errors?.property?.message ?? errors?.value?.message ?? errors?.op?.message ?? errors?.message;
  const noteId = useId();
  const control = (part: "source" | "property" | "op" | "value") => ({
    ...register(`${path}.${part}`),
    "aria-label": t(`monitorKinds.http.${part}`),
    ...(errors?.[part] !== undefined && { "aria-invalid": true, "aria-describedby": noteId }),
    className: "flex-1 basis-36",
  });
  return (
    <div
      role="group"
      aria-label={t("monitorKinds.http.assertion", { number: index + 1 })}
      className="flex flex-col gap-1"
    >
      <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
        <Select {...control("source")}>
          {sources.map((each) => (
            <option key={each} value={each}>
              {t(`monitorKinds.http.sources.${each}`)}
            </option>
          ))}
        </Select>
        {(source === "header" || source === "json") && (
          <Input
            {...control("property")}
            mono
            placeholder={t(source === "header" ? "monitorKinds.http.propertyHeader" : "monitorKinds.http.propertyJson")}
          />
        )}
        <Select {...control("op")}>
          {assertionOps.map((each) => (
            <option key={each} value={each}>
              {t(`monitorKinds.http.ops.${each}`)}
            </option>
          ))}
        </Select>
        {op !== "exists" && <Input {...control("value")} mono placeholder={t("monitorKinds.http.value")} />}
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
