import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../../lib/hooks.ts";
import { Card } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Textarea } from "../../../ui/inputs.tsx";
import type { PageValues } from "./form-values.ts";

const waitMs = 400;

/** What the page is called, its description, and its logo. */
export function GeneralFields() {
  const { t } = useTranslation();
  return (
    <Card title={t("statusPage.general.title")}>
      <div className="flex flex-col gap-4">
        <FormField<PageValues> name="title" label={t("statusPage.general.name")} required>
          {(field) => <Input {...field} aria-required />}
        </FormField>
        <FormField<PageValues>
          name="description"
          label={t("statusPage.general.description")}
          hint={t("statusPage.general.descriptionHint")}
        >
          {(field) => <Textarea {...field} rows={3} />}
        </FormField>
        <FormField<PageValues>
          name="logoUrl"
          label={t("statusPage.general.logo")}
          hint={t("statusPage.general.logoHint")}
        >
          {(field) => <Input {...field} type="url" inputMode="url" placeholder="https://example.com/logo.svg" />}
        </FormField>
        <Logo />
      </div>
    </Card>
  );
}

/** The logo as browsers get it; words where they get none. */
function Logo() {
  const { t } = useTranslation();
  const address = useSettled(useWatch<PageValues, "logoUrl">({ name: "logoUrl" }).trim(), waitMs);
  const [broken, setBroken] = useState<string | null>(null);
  const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isAddress) return null;
  if (broken === address) {
    return (
      <p role="status" className="text-[13px] text-warn-ink">
        {t("statusPage.general.logoBroken")}
      </p>
    );
  }
  return (
    <div className="flex h-16 items-center rounded-md border border-line bg-sunken px-4">
      <img
        src={address}
        alt={t("statusPage.general.logoAlt")}
        referrerPolicy="no-referrer"
        onError={() => setBroken(address)}
        className="max-h-10 max-w-full object-contain"
      />
    </div>
  );
}
