import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Lockable } from "../../ui/field.tsx";
import { Checkbox } from "../../ui/inputs.tsx";
import { useStatusPagesQuery } from "./api.ts";

/** Slugs of the pages that show an entry. `null`: all pages that show one of its targets. `undefined`: unchanged. */
export type OnPages = { pages?: string[] | null | undefined };

export function PagesField() {
  const { t } = useTranslation();
  const { data: all = [] } = useStatusPagesQuery();
  const { field } = useController<OnPages, "pages">({ name: "pages" });
  const chosen = field.value ?? [];
  if (all.length < 2) return null;
  const change = (slug: string, isOn: boolean) => {
    const slugs = [...chosen.filter((one) => one !== slug), ...(isOn ? [slug] : [])];
    field.onChange(slugs.length === 0 ? null : slugs);
  };
  return (
    <Lockable name="pages">
      <fieldset className="flex min-w-0 flex-col gap-1.5">
        <legend className="mb-1 text-[13px] font-medium">{t("statusPage.pages.shownOn")}</legend>
        <div className="flex max-h-40 flex-wrap gap-x-5 gap-y-1.5 overflow-y-auto">
          {all.map(({ slug, title }) => (
            <Checkbox
              key={slug}
              label={title}
              checked={chosen.includes(slug)}
              onChange={({ target }) => change(slug, target.checked)}
            />
          ))}
        </div>
        <p className="text-[13px] text-muted">{t("statusPage.pages.shownOnHint")}</p>
      </fieldset>
    </Lockable>
  );
}
