import { isPlaceholder } from "@sonde/proto/http/monitors/checks/flow";
import { isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { type FieldValues, get, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useText } from "../../../../entities/kinds/kinds.ts";
import { Lockable } from "../../../../ui/field.tsx";
import { type KeyValue, KeyValueEditor } from "../../../../ui/key-value-editor.tsx";
import type { FieldProps } from "../field.ts";

const usualHeaders = ["Accept", "Authorization", "Content-Type", "User-Agent", "X-Api-Key"];

export function HeadersField({ path, form }: FieldProps) {
  const { t } = useTranslation();
  const text = useText();
  const { setValue, formState } = useFormContext<FieldValues>();
  const { isSubmitted, errors } = formState;
  const headers = useWatch<FieldValues>({ name: path }) as KeyValue[];
  return (
    <Lockable name={path}>
      <div className="flex flex-col gap-1.5">
        <p className="text-[13px] font-medium">{text(form.label)}</p>
        <KeyValueEditor
          label={text(form.label)}
          nameLabel={t("monitorKinds.http.headerName")}
          valueLabel={t("monitorKinds.http.headerValue")}
          addLabel={t("monitorKinds.http.addHeader")}
          pairs={headers}
          onChange={(pairs) => setValue(path, pairs, { shouldDirty: true, shouldValidate: isSubmitted })}
          errorOf={(index, part) =>
            (get(errors, `${path}.${index}.${part}`) as { message?: string } | undefined)?.message
          }
          // A placeholder in a step is not a secret: its value comes from another step.
          isSecret={({ name, value }) => isSecretHeader(name) && !(path.startsWith("flow.") && isPlaceholder(value))}
          suggestions={usualHeaders}
        />
        {form.hint !== undefined && <p className="text-[13px] text-faint">{text(form.hint)}</p>}
      </div>
    </Lockable>
  );
}
