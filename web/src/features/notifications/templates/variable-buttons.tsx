import { templateVariables, type TemplateVariable } from "@sonde/proto/http/notifications/templates";
import { useTranslation } from "react-i18next";

/** Every variable with what it stands for; a click inserts it. */
export function VariableButtons({ onInsert }: { onInsert: (name: TemplateVariable) => void }) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t("templates.variables")} className="flex flex-col gap-2">
      <p className="text-[13px] text-faint">{t("templates.variablesHint")}</p>
      <ul className="flex flex-wrap gap-1.5">
        {templateVariables.map((name) => (
          <li key={name}>
            <button
              type="button"
              title={t(`templates.variable.${name}`)}
              aria-label={t("templates.insert", { name })}
              onClick={() => onInsert(name)}
              className="min-h-7 rounded-sm border border-line bg-sunken px-2 font-mono text-[12px] hover:border-line-strong hover:bg-surface"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
