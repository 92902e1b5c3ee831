import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useId } from "react";
import { Field } from "../../../ui/field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import type { PageValues } from "./form-values.ts";

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

/** The page's colour: one of a few that fit, or any. */
export function AccentField() {
  const { t } = useTranslation();
  const id = useId();
  const { field, fieldState } = useController<PageValues, "accent">({ name: "accent" });
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
