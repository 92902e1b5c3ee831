import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FieldGroup, Lockable } from "../../../../ui/field.tsx";
import { Switch } from "../../../../ui/inputs.tsx";
import { CertificateFields } from "../server/fields.tsx";
import type { FlowForm } from "./values.ts";

/** What all steps share. */
export function FlowOptions() {
  const { t } = useTranslation();
  const { register } = useFormContext<FlowForm>();
  return (
    <FieldGroup title={t("monitorKinds.http.request")}>
      <Lockable name="flow.followRedirects">
        <Switch label={t("monitorKinds.http.followRedirects")} {...register("flow.followRedirects")} />
      </Lockable>
      <CertificateFields kind="flow" />
    </FieldGroup>
  );
}
