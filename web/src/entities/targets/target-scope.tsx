import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import type { ReactNode, Ref } from "react";
import { useController, useFormState } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Segmented } from "../../ui/choice.tsx";
import { Field, Lockable } from "../../ui/field.tsx";
import { TagChoice } from "./tag-choice.tsx";
import { TargetPicker } from "./target-picker.tsx";

type Words = { label: string; hint: string };

type TargetScopeProps<By extends string> = {
  label: string;
  by: By | "tag";
  onBy: (by: By | "tag") => void;
  ways: readonly { value: By | "tag"; label: string }[];
  /** Error of the chosen way. */
  error: string | undefined;
  picker: Words & {
    value: readonly TargetRef[];
    onChange: (value: TargetRef[]) => void;
    max: number;
    type?: TargetType;
    self?: TargetRef | undefined;
    ref?: Ref<HTMLInputElement>;
  };
  tag: Words & { value: string; onChange: (tag: string) => void };
  /** The field of a third way. */
  other?: ReactNode;
};

/** Targets by search, by tag, or in another way. */
export function TargetScope<By extends string>(props: TargetScopeProps<By>) {
  const { label, by, onBy, ways, error, picker, tag, other } = props;
  const { label: pickerLabel, hint, ...bound } = picker;
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Segmented label={label} value={by} onChange={onBy} options={ways} />
      </div>
      {by === "tag" ? (
        <TagChoice
          label={tag.label}
          hint={tag.hint}
          error={error}
          value={tag.value === "" ? [] : [tag.value]}
          onChange={([name = ""]) => tag.onChange(name)}
        />
      ) : by === ways[0]?.value ? (
        <Field label={pickerLabel} hint={hint} error={error} required>
          {(ids) => <TargetPicker {...ids} {...bound} />}
        </Field>
      ) : (
        other
      )}
    </div>
  );
}

const ways = ["targets", "tag", "page"] as const;
export type ScopeValues = { by: (typeof ways)[number]; targets: TargetRef[]; tag: string };

type ScopeFieldsProps = { type?: TargetType; max: number; hint: string; page?: ReactNode };

/** Fields for the scope in a form of `ScopeValues`; with `page`, also a status page. */
export function ScopeFields({ type, max, hint, page }: ScopeFieldsProps) {
  const { t } = useTranslation();
  const { errors } = useFormState<ScopeValues>();
  const by = useController<ScopeValues, "by">({ name: "by" }).field;
  const targets = useController<ScopeValues, "targets">({ name: "targets" }).field;
  const tag = useController<ScopeValues, "tag">({ name: "tag" }).field;
  const what = type === undefined ? "targets" : "monitors";
  const names = { targets: t(`scope.${what}`), tag: t("scope.tag"), page: t("scope.page") };
  const offered = page === undefined ? ways.slice(0, 2) : ways;
  return (
    <Lockable name={by.value}>
      <TargetScope
        label={t("scope.label")}
        by={by.value}
        onBy={by.onChange}
        ways={offered.map((value) => ({ value, label: names[value] }))}
        error={errors.targets?.message ?? errors.tag?.message}
        picker={{ ...targets, label: names.targets, hint, max, ...(type && { type }) }}
        tag={{ label: names.tag, hint: t("scope.tagHint"), value: tag.value, onChange: tag.onChange }}
        other={page}
      />
    </Lockable>
  );
}
