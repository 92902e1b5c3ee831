import { choicesOf, type FormField } from "@sonde/proto/http/form";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { SchemaField, useTextIfAny } from "../../../app/forms/schema-field.tsx";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { type ChannelValues, fieldsOf, isRequired, schemaOf } from "./form-values.ts";

export function ConfigFields(props: { type: ChannelTypeName; open: boolean; onOpenChange: (open: boolean) => void }) {
  const { type, open, onOpenChange } = props;
  const { t } = useTranslation();
  const draw = (field: FormField) => <ConfigField key={`${type} ${field.name}`} type={type} field={field} />;
  const further = fieldsOf(type).filter(({ advanced }) => advanced === true);
  return (
    <>
      {usualFieldsOf(type).map(draw)}
      {further.length > 0 && (
        <details
          open={open}
          onToggle={(event) => onOpenChange(event.currentTarget.open)}
          className="group rounded-md border border-line"
        >
          <summary className="flex min-h-10 list-none items-center gap-x-2 rounded-md px-3 [&::-webkit-details-marker]:hidden">
            <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
            <span className="font-medium">{t("channels.advanced")}</span>
            <span className="text-[13px] text-faint">{t("channels.advancedHint")}</span>
          </summary>
          <div className="flex flex-col gap-4 border-t border-line p-3">{further.map(draw)}</div>
        </details>
      )}
    </>
  );
}

/** Shows the first field, and the other required ones as soon as it is filled in. */
export function FirstFields({ type }: { type: ChannelTypeName }) {
  const config = useWatch<ChannelValues, "config">({ name: "config" });
  const usual = usualFieldsOf(type);
  const begun = config[type]?.[usual[0]?.name ?? ""] !== "";
  return usual
    .slice(0, begun ? undefined : 1)
    .map((field) => <ConfigField key={`${type} ${field.name}`} type={type} field={field} />);
}

const usualFieldsOf = (type: ChannelTypeName) => fieldsOf(type).filter(({ advanced }) => advanced !== true);

function ConfigField({ type, field }: { type: ChannelTypeName; field: FormField }) {
  const { t } = useTranslation();
  const { label, ...words } = useFieldWords(type, field.name);
  const required = isRequired(type, field.name);
  const isOptional = !required && !["choice", "switch", "headers"].includes(field.input);
  return (
    <SchemaField
      field={field}
      path={`config.${type}.${field.name}`}
      words={{ ...words, label: isOptional ? t("common.optional", { label }) : label }}
      required={required}
      options={choicesOf(schemaOf(type, field.name))}
    />
  );
}

/** Texts of a form field. form-values.test.ts checks that they exist. */
function useFieldWords(type: ChannelTypeName, name: string) {
  const text = useTextIfAny();
  return {
    label: text(`channelTypes.${type}.fields.${name}.label`) ?? name,
    hint: text(`channelTypes.${type}.fields.${name}.hint`),
    optionOf: (option: string) => text(`channelTypes.${type}.fields.${name}.options.${option}`) ?? option,
  };
}
