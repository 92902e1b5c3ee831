import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { useEffect, useEffectEvent, useRef } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import type { FormValues } from "./form-values.ts";
import type { CheckValues } from "../kinds/kind-form.ts";
import { formOf } from "../kinds/registry.ts";

const longestName = 100;

/** `proposes`: follows the address until a name is typed. */
export function NameField({ type, proposes }: { type: CheckType; proposes: boolean }) {
  const { t } = useTranslation();
  const { getValues, setValue, formState } = useFormContext<FormValues>();
  const { isSubmitted } = formState;
  const address = useWatch<FormValues>({ name: type }) as CheckValues | undefined;
  const proposal = !proposes || address === undefined ? "" : formOf(type).proposeName(address).slice(0, longestName);
  const proposed = useRef("");
  const propose = useEffectEvent(() => {
    const name = getValues("name");
    // A typed name stays.
    if (!proposes || (name !== "" && name !== proposed.current)) return;
    proposed.current = proposal;
    if (name !== proposal) setValue("name", proposal, { shouldValidate: isSubmitted });
  });
  useEffect(() => propose(), [proposal]);
  return (
    <FormField<FormValues>
      name="name"
      label={t("monitorForm.name")}
      hint={proposes ? t("monitorForm.nameHint") : undefined}
      required
    >
      {(field) => <Input {...field} placeholder={t("monitorForm.namePlaceholder")} />}
    </FormField>
  );
}
