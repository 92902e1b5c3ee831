import type { TFunction } from "i18next";
import { useController, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import {
  type Recipient,
  recipientKinds,
  type RecipientKind,
  useRecipientsQuery,
} from "../../../entities/on-call/api.ts";
import { Chip } from "../../../ui/chip.tsx";
import { FieldError } from "../../../ui/field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import type { PolicyValues } from "./form-values.ts";

type Names = ReadonlyMap<string, string> | undefined;

/** Names of recipients such as `user:4`; `undefined` while they are loading. */
export function useRecipientNames(): Names {
  const { data } = useRecipientsQuery();
  return data && new Map(data.map(({ value, name }) => [value, name]));
}

/** Returns what a step shows for a recipient. */
export function nameOf(recipient: string, names: Names, t: TFunction): string {
  const [kind = "", id = ""] = recipient.split(":");
  if (names === undefined) return "…";
  const name = names.get(recipient) ?? t("policies.gone", { id });
  return t(`policies.shown.${kind as RecipientKind}`, { name });
}

type OptionGroupProps = { label: string; options: readonly Pick<Recipient, "value" | "name">[] };

export function OptionGroup({ label, options }: OptionGroupProps) {
  if (options.length === 0) return null;
  return (
    <optgroup label={label}>
      {options.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

/** The recipients of a step, with a list to add others. */
export function RecipientsField({ index }: { index: number }) {
  const { t } = useTranslation();
  const name = `steps.${index}.notify` as const;
  const { data: recipients = [] } = useRecipientsQuery();
  const names = useRecipientNames();
  const { getFieldState, formState } = useFormContext<PolicyValues>();
  const { field } = useController<PolicyValues, typeof name>({ name });
  const { value, onChange, onBlur } = field;
  const { error } = getFieldState(name, formState);
  const errorId = `step-${index}-recipients`;
  const label = t("policies.notify");
  return (
    <div className="flex flex-col gap-2">
      <p className="text-[13px] font-medium">{label}</p>
      <ul className="flex flex-wrap gap-2 empty:hidden">
        {value.map((recipient) => {
          const shown = nameOf(recipient, names, t);
          return (
            <Chip
              key={recipient}
              removeLabel={t("policies.removeRecipient", { name: shown })}
              onRemove={() => onChange(value.filter((each) => each !== recipient))}
            >
              {shown}
            </Chip>
          );
        })}
      </ul>
      <Select
        className="w-full max-w-96"
        aria-label={label}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : errorId}
        value=""
        onBlur={onBlur}
        onChange={({ target }) => onChange([...value, target.value])}
      >
        <option value="">{t("policies.addRecipient")}</option>
        {recipientKinds.map((kind) => (
          <OptionGroup
            key={kind}
            label={t(`policies.groups.${kind}`)}
            options={recipients.filter((one) => one.kind === kind && !value.includes(one.value))}
          />
        ))}
      </Select>
      <FieldError id={errorId} text={error?.message} />
    </div>
  );
}
