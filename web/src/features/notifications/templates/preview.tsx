import { templatePreviewInput, unknownVariables } from "@sonde/proto/http/notifications/templates";
import { translate, type Language } from "@sonde/proto/http/messages";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { currentLanguage, languageNames, languages } from "../../../app/i18n.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { useTemplatePreviewQuery } from "../api.ts";
import type { TemplateFormValues } from "./form-values.ts";

const waitMs = 400;

/** The message as it would be sent, in either language, with the server's sample values. Follows what is typed. */
export function Preview() {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<Language>(currentLanguage);
  const typed = useWatch<TemplateFormValues>() as TemplateFormValues;
  const { kind, subject, content } = useSettled(typed, waitMs);
  const asked = { kind, subject, content, language };
  const isReady = templatePreviewInput.safeParse(asked).success;
  const { data, error } = useTemplatePreviewQuery(asked, { skip: !isReady });
  const [unknown] = unknownVariables(`${typed.subject}\n${typed.content}`);
  const preview = isReady ? data?.preview : undefined;
  return (
    <Card
      title={t("templates.preview")}
      actions={
        <Segmented
          label={t("notificationSettings.language")}
          value={language}
          onChange={setLanguage}
          options={languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))}
        />
      }
      className="lg:sticky lg:top-20"
    >
      <div aria-live="polite" className="flex min-h-40 flex-col gap-3">
        {unknown !== undefined ? (
          <Alert kind="error">
            {translate("There is no variable named {name}", currentLanguage(), { name: unknown.slice(0, 50) })}
          </Alert>
        ) : error !== undefined ? (
          <Alert kind="error">{errorText(error, "previewTemplate")}</Alert>
        ) : preview === undefined ? (
          <p className="text-muted">{t("templates.previewEmpty")}</p>
        ) : (
          <div lang={language} className="flex flex-col gap-2">
            <p className="font-semibold break-words">{preview.subject}</p>
            <p className="break-words whitespace-pre-wrap">{preview.content}</p>
          </div>
        )}
      </div>
      <p className="mt-3 text-[13px] text-faint">{t("templates.previewHint")}</p>
    </Card>
  );
}
