import { useTranslation } from "react-i18next";
import { apiReference } from "../../app/paths.ts";
import { Card } from "../../ui/card.tsx";
import { CodeIcon } from "../../ui/icons.tsx";

/** Where the HTTP API is described: a page that the server itself writes, outside the app. */
export function ApiCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("profile.api.title")}>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted">{t("profile.api.text")}</p>
        <a
          href={apiReference}
          className="inline-flex min-h-8 items-center gap-1.5 font-medium text-accent-strong hover:underline"
        >
          <CodeIcon />
          {t("profile.api.link")}
        </a>
      </div>
    </Card>
  );
}
