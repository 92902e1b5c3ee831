import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { ConfigField } from "./config-field.tsx";
import { type ChannelValues, type ConfigValues, fieldsOf } from "./form-values.ts";

/** The fields that most need, and on demand the others. */
export function ConfigFields(props: { type: ChannelTypeName; open: boolean; onOpenChange: (open: boolean) => void }) {
  const { type, open, onOpenChange } = props;
  const { t } = useTranslation();
  const usual = fieldsOf(type).filter(({ advanced }) => advanced !== true);
  const further = fieldsOf(type).filter(({ advanced }) => advanced === true);
  return (
    <>
      {usual.map((field) => (
        <ConfigField key={`${type} ${field.name}`} type={type} field={field} />
      ))}
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
          <div className="flex flex-col gap-4 border-t border-line p-3">
            {further.map((field) => (
              <ConfigField key={`${type} ${field.name}`} type={type} field={field} />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

/** The first field alone; once something stands in it, what else the provider needs. */
export function FirstFields({ type }: { type: ChannelTypeName }) {
  const config = useWatch<ChannelValues, "config">({ name: "config" });
  const [first, ...others] = fieldsOf(type).filter(({ advanced }) => advanced !== true);
  if (first === undefined) return null;
  const values: ConfigValues = config[type] ?? {};
  const begun = values[first.name] !== "";
  return (
    <>
      <ConfigField key={`${type} ${first.name}`} type={type} field={first} />
      {begun && others.map((field) => <ConfigField key={`${type} ${field.name}`} type={type} field={field} />)}
    </>
  );
}
