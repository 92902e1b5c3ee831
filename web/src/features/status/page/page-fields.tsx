import { pageForm, type PageSetting, themeModes } from "@sonde/proto/http/status/config";
import { type ReactNode, useId, useState } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useConfigQuery } from "../../../app/config.ts";
import { errorText } from "../../../app/errors.ts";
import { SchemaField, useTextIfAny } from "../../../app/forms/schema-field.tsx";
import { useChannelsInForceQuery } from "../../../entities/notifications/api.ts";
import { paths } from "../../../app/paths.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { Field, Lockable } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Switch } from "../../../ui/inputs.tsx";
import { isRequired, type PageValues } from "./form-values.ts";
import { ImageField } from "./image-field.tsx";

const waitMs = 400;
const mailTypes: readonly string[] = ["smtp", "resend"];

type SettingsGroup = Exclude<(typeof pageForm)[PageSetting]["card"], "logo">;

export function SettingsCard({ card, above }: { card: SettingsGroup; above?: ReactNode }) {
  const { t } = useTranslation();
  const names = (Object.keys(pageForm) as PageSetting[]).filter((name) => pageForm[name].card === card);
  return (
    <Card title={t(`statusPage.cards.${card}`)} gap={names.some(isSwitch) ? "gap-5" : "gap-4"}>
      {above}
      {names.map((name) => (
        <Setting key={name} name={name} />
      ))}
    </Card>
  );
}

const isSwitch = (name: PageSetting) => pageForm[name].input === "switch";

function Setting({ name }: { name: PageSetting }) {
  const { t } = useTranslation();
  const text = useTextIfAny();
  return (
    <SchemaField
      field={{ ...pageForm[name], name }}
      path={name}
      words={{ label: t(`statusPage.fields.${name}.label`), hint: text(`statusPage.fields.${name}.hint`) }}
      required={isRequired(name)}
    />
  );
}

export function LogoCard() {
  const { t } = useTranslation();
  const logo = useWatch<PageValues, "logo">({ name: "logo" });
  return (
    <Card title={t("statusPage.cards.logo")} gap="gap-5">
      <ImageField name="logo" />
      {logo === null && (
        <>
          <Setting name="logoUrl" />
          <Logo />
        </>
      )}
      <ImageField name="favicon" />
    </Card>
  );
}

function Logo() {
  const { t } = useTranslation();
  const typed = useWatch<PageValues, "logoUrl">({ name: "logoUrl" });
  const address = useSettled(typeof typed === "string" ? typed.trim() : "", waitMs);
  const [broken, setBroken] = useState<string | null>(null);
  const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isAddress) return null;
  if (broken === address) {
    return (
      <p role="status" className="text-[13px] text-warn-ink">
        {t("statusPage.logo.broken")}
      </p>
    );
  }
  return (
    <div className="flex h-16 items-center rounded-md border border-line bg-sunken px-4">
      <img
        src={address}
        alt={t("statusPage.logo.alt")}
        referrerPolicy="no-referrer"
        onError={() => setBroken(address)}
        className="max-h-10 max-w-full object-contain"
      />
    </div>
  );
}

export function ThemeFields() {
  const { t } = useTranslation();
  const { field } = useController<PageValues, "theme.mode">({ name: "theme.mode" });
  const label = t("statusPage.fields.theme.label");
  return (
    <>
      <Lockable name="theme.mode">
        <div className="flex flex-col items-start gap-1.5">
          <p aria-hidden="true" className="text-[13px] font-medium">
            {label}
          </p>
          <Segmented
            label={label}
            value={field.value}
            onChange={field.onChange}
            options={themeModes.map((value) => ({ value, label: t(`statusPage.appearance.modes.${value}`) }))}
          />
        </div>
      </Lockable>
      <Lockable name="theme.accent">
        <AccentField />
      </Lockable>
    </>
  );
}

const presets = {
  blue: "#2563eb",
  teal: "#0d9488",
  green: "#16a34a",
  violet: "#7c3aed",
  pink: "#db2777",
  orange: "#ea580c",
  slate: "#475569",
} as const;
const names = Object.keys(presets) as (keyof typeof presets)[];

function AccentField() {
  const { t } = useTranslation();
  const id = useId();
  const { field, fieldState } = useController<PageValues, "theme.accent">({ name: "theme.accent" });
  const value = field.value.trim().toLowerCase();
  const isColour = /^#[\da-f]{6}$/.test(value);
  return (
    <div className="flex flex-col gap-3">
      <fieldset>
        <legend className="mb-1.5 text-[13px] font-medium">{t("statusPage.appearance.accent")}</legend>
        <div className="flex flex-wrap gap-2">
          {names.map((name) => (
            <label
              key={name}
              title={t(`statusPage.appearance.colours.${name}`)}
              style={{ backgroundColor: presets[name] }}
              className="relative size-8 cursor-pointer rounded-full has-checked:outline-2 has-checked:outline-offset-2 has-checked:outline-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--focus)"
            >
              <input
                type="radio"
                name={id}
                aria-label={t(`statusPage.appearance.colours.${name}`)}
                checked={value === presets[name]}
                onChange={() => field.onChange(presets[name])}
                className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
              />
            </label>
          ))}
        </div>
      </fieldset>
      <Field
        label={t("statusPage.appearance.ownColour")}
        hint={t("statusPage.appearance.accentHint")}
        error={fieldState.error?.message}
      >
        {(ids) => (
          <span className="flex items-center gap-2">
            <input
              type="color"
              aria-label={t("statusPage.appearance.pickColour")}
              value={isColour ? value : presets.blue}
              onChange={(event) => field.onChange(event.target.value)}
              className="h-9 w-12 shrink-0 cursor-pointer rounded-md border border-line-strong bg-surface p-1"
            />
            <Input
              {...ids}
              ref={field.ref}
              mono
              className="max-w-36"
              autoComplete="off"
              spellCheck={false}
              maxLength={7}
              value={field.value}
              onBlur={field.onBlur}
              onChange={(event) => field.onChange(event.target.value)}
            />
          </span>
        )}
      </Field>
    </div>
  );
}

export function SubscriptionFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<PageValues>();
  const { enabled, channelId } = useWatch<PageValues, "subscriptions">({ name: "subscriptions" });
  const { data: config } = useConfigQuery();
  const { data: channels, error } = useChannelsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const usable = channels?.filter(({ type }) => mailTypes.includes(type)) ?? [];
  const chosen = usable.find(({ id }) => String(id) === channelId);
  const isGone = channels !== undefined && channelId !== "" && chosen === undefined;
  const options = usable.map(({ id, name, type, enabled }) => {
    const off = enabled ? "" : ` · ${t("alerting.channelOff")}`;
    return { value: String(id), label: `${name} (${t(`channelTypes.${type}.name`)})${off}` };
  });
  if (chosen === undefined && channelId !== "")
    options.push({ value: channelId, label: isGone ? t("statusPage.subscriptions.gone") : "…" });
  const hasNone = channels !== undefined && usable.length === 0;
  const hasNotChosen = !hasNone && channelId === "" && channels !== undefined;
  const warnings = [
    ...(hasNotChosen ? (["choose"] as const) : []),
    ...(chosen?.enabled === false ? (["channelOff"] as const) : []),
    ...(config?.publicUrl === null ? (["noPublicUrl"] as const) : []),
  ].filter(() => enabled);
  return (
    <Card title={t("statusPage.fields.subscriptions.label")} gap="gap-4">
      <Switch
        label={t("statusPage.subscriptions.enabled")}
        hint={t("statusPage.subscriptions.enabledHint")}
        {...register("subscriptions.enabled")}
      />
      <FormField<PageValues>
        key={channels === undefined ? "waiting" : "here"}
        name="subscriptions.channelId"
        label={t("statusPage.subscriptions.channel")}
        hint={t("statusPage.subscriptions.channelHint")}
        selectClass="w-full sm:max-w-80"
        options={[{ value: "", label: t("statusPage.subscriptions.noChannel") }, ...options]}
      />
      {error !== undefined && <p className="text-[13px] text-down-ink">{errorText(error, "fetchData")}</p>}
      {hasNone && (
        <Alert kind="info">
          {t("statusPage.subscriptions.noneYet")}{" "}
          <Link to={paths.channelCreate} className="underline">
            {t("statusPage.subscriptions.addChannel")}
          </Link>
        </Alert>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-[13px] text-warn-ink">
          {t(`statusPage.subscriptions.${warning}`)}
        </p>
      ))}
    </Card>
  );
}
