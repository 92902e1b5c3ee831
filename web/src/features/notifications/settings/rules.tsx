import { maxRules } from "@sonde/proto/http/notifications/settings";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { OrderedFields } from "../../../app/forms/ordered-fields.tsx";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { AudienceSource, ChannelNames, useAudience } from "../../../entities/notifications/audience.tsx";
import { TargetLine } from "../../../entities/targets/target-line.tsx";
import { TargetSearch } from "../../../entities/targets/target-picker.tsx";
import { readTags } from "../../../lib/typed.ts";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { ChannelFields, PolicyField } from "./fields.tsx";
import type { SettingsValues } from "./form-values.ts";

export function RuleFields() {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[13px] text-faint">{t("notificationSettings.rulesHint")}</p>
      <OrderedFields
        name="rules"
        label={t("notificationSettings.fields.rules")}
        min={0}
        max={maxRules}
        added={() => ({ tags: "", channels: [], policyId: "" })}
        wordOf={(what, number) => t(`notificationSettings.rule.${what}`, { number })}
      >
        {(index) => <Rule index={index} />}
      </OrderedFields>
    </div>
  );
}

function Rule({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-3">
      <FormField<SettingsValues>
        name={`rules.${index}.tags`}
        label={t("notificationSettings.ruleTags")}
        hint={t("notificationSettings.ruleTagsHint")}
        input={{ spellCheck: false, placeholder: "critical, prod" }}
      />
      <div role="group" aria-label={t("notificationSettings.ruleChannels", { number: index + 1 })}>
        <ChannelFields name={`rules.${index}.channels`} />
      </div>
      <PolicyField name={`rules.${index}.policyId`} />
    </div>
  );
}

/** Shows who would be notified about a monitor or agent with the settings as entered. */
export function AudienceOfDraft({ all, type }: { all: AllSettings; type: TargetType }) {
  const { t } = useTranslation();
  const { enabled = true, channels = [], rules = [] } = useWatch<SettingsValues>();
  const [target, setTarget] = useState<TargetRef | null>(null);
  const draft = {
    enabled,
    channels,
    rules: rules.map(({ tags = "", channels: named = [] }) => ({ tags: readTags(tags), channels: named })),
  };
  const key = type === "monitor" ? "globalMonitor" : "globalAgent";
  const drafted = { ...all, [key]: { ...all[key], ...draft } };
  return (
    <div className="flex flex-col gap-3 px-4 py-4 md:px-5">
      <Field label={t("notificationSettings.ask")} hint={t("notificationSettings.askHint")}>
        {(ids) => <TargetSearch {...ids} type={type} onPick={({ id }) => setTarget({ type, id })} />}
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
