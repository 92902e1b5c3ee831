import { assertionOps, assertionSources } from "@sonde/proto/http/monitors/assertions";
import { type FieldValues, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Input, Select } from "../../../../ui/inputs.tsx";
import type { AssertionValues } from "../codecs.ts";
import type { FieldProps } from "../field.ts";
import { type RowControl, Rows } from "./rows.tsx";

type Sources = NonNullable<FieldProps["form"]["sources"]>;

export function AssertionsField(props: FieldProps) {
  const { t } = useTranslation();
  const sources = props.form.sources ?? assertionSources;
  const usual = sources.includes("body") ? { source: "body", op: "contains" } : { source: "json", op: "equals" };
  return (
    <Rows
      {...props}
      added={{ ...usual, property: "", value: "" }}
      addLabel={t("monitorKinds.http.addAssertion")}
      rowLabel={(number) => t("monitorKinds.http.assertion", { number })}
      parts={["property", "value", "op"]}
    >
      {(path, control) => <AssertionControls {...{ path, control, sources }} />}
    </Rows>
  );
}

type ControlsProps = { path: string; control: (part: string) => RowControl; sources: Sources };

function AssertionControls({ path, control, sources }: ControlsProps) {
  const { t } = useTranslation();
  const { source, op } = useWatch<FieldValues>({ name: path }) as AssertionValues;
  return (
    <>
      <Select
        {...control("source")}
        aria-label={t("monitorKinds.http.source")}
        options={sources.map((value) => ({ value, label: t(`monitorKinds.http.sources.${value}`) }))}
      />
      {(source === "header" || source === "json") && (
        <Input
          {...control("property")}
          aria-label={t("monitorKinds.http.property")}
          mono
          placeholder={t(source === "header" ? "monitorKinds.http.propertyHeader" : "monitorKinds.http.propertyJson")}
        />
      )}
      <Select
        {...control("op")}
        aria-label={t("monitorKinds.http.op")}
        options={assertionOps.map((value) => ({ value, label: t(`monitorKinds.http.ops.${value}`) }))}
      />
      {op !== "exists" && (
        <Input
          {...control("value")}
          aria-label={t("monitorKinds.http.value")}
          mono
          placeholder={t("monitorKinds.http.value")}
        />
      )}
    </>
  );
}
