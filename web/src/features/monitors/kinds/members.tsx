import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { type FieldValues, get, useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { TargetScope } from "../../../entities/targets/target-scope.tsx";
import { FieldError, Lockable } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import type { MembersValues, NeedValues } from "./codecs.ts";
import type { FieldProps } from "./field.ts";

const maxMembers = 200;

/** Members by search or by tag. */
export function MembersField({ path, form }: FieldProps) {
  const { t } = useTranslation();
  const text = useText();
  const own = Number(useParams()["id"]);
  const { tag } = kindForms.group.fields;
  const { formState } = useFormContext<FieldValues>();
  const members = useController<FieldValues>({ name: path });
  const byTag = useController<FieldValues>({ name: "group.tag" });
  const value = members.field.value as MembersValues;
  const change = (next: Partial<MembersValues>) => members.field.onChange({ ...value, ...next });
  const errors = (["members", "tag"] as const).map((name) => get(formState.errors, `group.${name}`) as Fault);
  const error = errors.find((one) => one?.message !== undefined)?.message;
  return (
    <Lockable name="members">
      <TargetScope
        label={t("groups.by")}
        by={value.by}
        onBy={(by) => change({ by })}
        ways={[
          { value: "members", label: t("groups.byMembers") },
          { value: "tag", label: t("groups.byTag") },
        ]}
        error={error}
        picker={{
          label: text(form.label),
          hint: form.hint ? text(form.hint) : "",
          ref: members.field.ref,
          type: "monitor",
          max: maxMembers,
          self: Number.isInteger(own) ? { type: "monitor", id: own } : undefined,
          value: value.ids.map((id): TargetRef => ({ type: "monitor", id })),
          onChange: (targets) => change({ ids: targets.map(({ id }) => id) }),
        }}
        tag={{
          label: tag ? text(tag.label) : "",
          hint: tag?.hint ? text(tag.hint) : "",
          value: String(byTag.field.value),
          onChange: byTag.field.onChange,
        }}
      />
    </Lockable>
  );
}
type Fault = { message?: string } | undefined;

export function NeedField({ path, form }: FieldProps) {
  const { t } = useTranslation();
  const text = useText();
  const { register, formState } = useFormContext<FieldValues>();
  const error = (get(formState.errors, path) as Fault)?.message;
  const by = useWatch<FieldValues>({ name: `${path}.by` }) as NeedValues["by"];
  const words = { label: text(form.label), hint: form.hint && text(form.hint) };
  const { all, any } = form.options ?? {};
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <FormField<FieldValues>
          name={`${path}.by`}
          {...words}
          options={[
            { value: "all", label: all ? text(all) : "" },
            { value: "any", label: any ? text(any) : "" },
            { value: "number", label: t("groups.number") },
          ]}
        />
        <FieldError text={error} />
      </div>
      {by === "number" && (
        <span className="mt-6.5 w-20 shrink-0">
          <Input {...register(`${path}.count`)} aria-label={t("groups.count")} inputMode="numeric" autoComplete="off" />
        </span>
      )}
    </div>
  );
}
