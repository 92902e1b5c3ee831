import { maxRules } from "@sonde/proto/http/notifications/settings";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { useEffect, useRef, useState } from "react";
import { useController, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { AudienceSource, ChannelNames, useAudience } from "../../../entities/notifications/audience.tsx";
import { ChannelChoice } from "../../../entities/notifications/channel-choice.tsx";
import { TargetLine } from "../../../entities/targets/target-line.tsx";
import { TargetSearch } from "../../../entities/targets/target-picker.tsx";
import { readTags } from "../../../lib/typed.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon, PlusIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useChannelsQuery } from "../api.ts";
import type { SettingsValues } from "./form-values.ts";

export function RuleFields() {
  const { t } = useTranslation();
  const { fields, append, remove, move } = useFieldArray<SettingsValues, "rules">({ name: "rules" });
  // Restores the focus, which a moved button loses.
  const pressed = useRef<HTMLElement>(null);
  useEffect(() => {
    pressed.current?.focus();
    pressed.current = null;
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[13px] text-faint">{t("notificationSettings.rulesHint")}</p>
      {fields.length > 0 && (
        <ol className="flex flex-col gap-3" aria-label={t("notificationSettings.fields.rules")}>
          {fields.map((field, index) => (
            <Rule
              key={field.id}
              index={index}
              count={fields.length}
              onMove={(step, button) => {
                pressed.current = button;
                move(index, index + step);
              }}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      {fields.length < maxRules && (
        <div>
          <Button size="sm" onClick={() => append({ tags: "", channels: [] })}>
            <PlusIcon />
            {t("notificationSettings.addRule")}
          </Button>
        </div>
      )}
    </div>
  );
}

type RuleProps = {
  index: number;
  count: number;
  onMove: (step: 1 | -1, button: HTMLElement) => void;
  onRemove: () => void;
};

function Rule({ index, count, onMove, onRemove }: RuleProps) {
  const { t } = useTranslation();
  const { data, error } = useChannelsQuery();
  const { field, fieldState } = useController<SettingsValues, `rules.${number}.channels`>({
    name: `rules.${index}.channels`,
  });
  const { value, onChange, onBlur } = field;
  const number = index + 1;
  const moves = [
    { step: -1, ends: index === 0, label: t("notificationSettings.ruleUp", { number }), icon: <ArrowUpIcon /> },
    { step: 1, ends: number === count, label: t("notificationSettings.ruleDown", { number }), icon: <ArrowDownIcon /> },
  ] as const;
  const remove = t("notificationSettings.ruleRemove", { number });
  return (
    <li aria-label={t("notificationSettings.rule", { number })} className="rounded-md border border-line p-3">
      <div className="mb-2 flex items-center gap-1">
        <p className="mr-auto text-[13px] font-semibold">{t("notificationSettings.rule", { number })}</p>
        {count > 1 &&
          moves.map(({ step, ends, label, icon }) => (
            <Button
              key={step}
              variant="ghost"
              size="icon"
              aria-label={label}
              title={label}
              // Not `disabled`, so that the button keeps its focus.
              aria-disabled={ends || undefined}
              onClick={(event) => {
                if (!ends) onMove(step, event.currentTarget);
              }}
            >
              {icon}
            </Button>
          ))}
        <Button variant="ghost" size="icon" aria-label={remove} title={remove} onClick={onRemove}>
          <CrossIcon />
        </Button>
      </div>
      <div className="flex flex-col gap-3">
        <FormField<SettingsValues>
          name={`rules.${index}.tags`}
          label={t("notificationSettings.ruleTags")}
          hint={t("notificationSettings.ruleTagsHint")}
          input={{ spellCheck: false, placeholder: "critical, prod" }}
        />
        <div role="group" aria-label={t("notificationSettings.ruleChannels", { number })}>
          <ChannelChoice
            isPart
            channels={data?.channels}
            failure={error}
            {...{ error: fieldState.error?.message, value, onChange, onBlur }}
          />
        </div>
      </div>
    </li>
  );
}

/** Answers who would be notified for a monitor or agent by the settings as entered. */
export function AudienceOfDraft({ all, type }: { all: AllSettings; type: TargetType }) {
  const { t } = useTranslation();
  const { control } = useFormContext<SettingsValues>();
  const { enabled, channels, rules } = useWatch({ control });
  const [target, setTarget] = useState<TargetRef | null>(null);
  const draft = {
    enabled: enabled ?? true,
    channels: channels ?? [],
    rules: rules?.map((rule) => ({ tags: readTags(rule.tags ?? ""), channels: rule.channels ?? [] })) ?? [],
  };
  const drafted: AllSettings =
    type === "monitor"
      ? { ...all, globalMonitor: { ...all.globalMonitor, ...draft } }
      : { ...all, globalAgent: { ...all.globalAgent, ...draft } };
  return (
    <div className="flex flex-col gap-3 px-4 py-4 md:px-5">
      <Field label={t("notificationSettings.ask")} hint={t("notificationSettings.askHint")}>
        {(ids) => (
          <TargetSearch {...ids} type={type} isOffered={() => true} onPick={({ id }) => setTarget({ type, id })} />
        )}
      </Field>
      {target !== null && <Answer key={target.id} all={drafted} target={target} />}
    </div>
  );
}

function Answer({ all, target }: { all: AllSettings; target: TargetRef }) {
  const audience = useAudience(all, target);
  return (
    <div role="status" className="rounded-md border border-line bg-sunken px-3 py-2.5">
      <div className="mb-1 font-medium">
        <TargetLine target={target} />
      </div>
      {audience === undefined ? (
        <Skeleton className="h-6 w-full" />
      ) : (
        <>
          <AudienceSource target={target} audience={audience} />
          {audience.settings.enabled && <ChannelNames {...audience} />}
        </>
      )}
    </div>
  );
}
