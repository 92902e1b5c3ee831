import { extractSources } from "@sonde/proto/http/monitors/checks/flow";
import { type FieldValues, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Input, Select } from "../../../../ui/inputs.tsx";
import type { ExtractionValues } from "../codecs.ts";
import type { FieldProps } from "../field.ts";
import { type RowControl, Rows } from "./rows.tsx";

/** Values of a response that later steps can use. */
export function ExtractionsField(props: FieldProps) {
  const { t } = useTranslation();
  return (
    <Rows
      {...props}
      added={{ name: "", source: "json", property: "" }}
      addLabel={t("monitorKinds.flow.addExtract")}
      rowLabel={(number) => t("monitorKinds.flow.value", { number })}
      parts={["name", "property"]}
    >
      {(path, control) => <ExtractionControls path={path} control={control} />}
    </Rows>
  );
}

function ExtractionControls({ path, control }: { path: string; control: (part: string) => RowControl }) {
  const { t } = useTranslation();
  const { source } = useWatch<FieldValues>({ name: path }) as ExtractionValues;
  const labelled = (part: keyof ExtractionValues) => ({
    ...control(part),
    "aria-label": t(`monitorKinds.flow.extractParts.${part}`),
  });
  return (
    <>
      <Input {...labelled("name")} mono spellCheck={false} placeholder={t("monitorKinds.flow.extractParts.name")} />
      <Select
        {...labelled("source")}
        options={extractSources.map((value) => ({ value, label: t(`monitorKinds.flow.sources.${value}`) }))}
      />
      {source !== "status" && (
        <Input
          {...labelled("property")}
          mono
          spellCheck={false}
          placeholder={t(`monitorKinds.flow.properties.${source}`)}
        />
      )}
    </>
  );
}
