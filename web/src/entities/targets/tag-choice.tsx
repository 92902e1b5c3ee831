import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../lib/hooks.ts";
import { chipClass } from "../../ui/choice.tsx";
import { cx } from "../../ui/cx.ts";
import { FieldError } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";
import { useKnownTagsQuery } from "./api.ts";

type TagChoiceProps = {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: readonly string[];
  onChange: (tags: string[]) => void;
  max?: number;
  disabled?: boolean;
};

const shownCount = 12;
const waitMs = 150;

/** Tags of monitors and agents as buttons, most used first, with a search if there are many. */
export function TagChoice({ label, hint, error, value, onChange, max = 1, disabled = false }: TagChoiceProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const search = useSettled(text.trim(), waitMs);
  const { data: all = [], isLoading } = useKnownTagsQuery("", { refetchOnMountOrArgChange: true });
  const { data: found = all } = useKnownTagsQuery(search, { skip: search === "" });
  const offered = [...new Set([...value, ...(search === "" ? all : found).slice(0, shownCount)])];
  const toggle = (tag: string) =>
    onChange(value.includes(tag) ? value.filter((each) => each !== tag) : [...value, tag].slice(-max));
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-[13px] font-medium">{label}</legend>
      {all.length > shownCount && (
        <Input
          type="search"
          aria-label={t("alerting.findTag")}
          placeholder={t("alerting.findTag")}
          maxLength={40}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      )}
      <div className="flex min-h-8 flex-wrap items-center gap-1.5 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:pb-1">
        {offered.map((tag) => (
          <button
            key={tag}
            type="button"
            aria-pressed={value.includes(tag)}
            disabled={max > 1 && value.length >= max && !value.includes(tag)}
            onClick={() => toggle(tag)}
            className={cx(
              chipClass,
              "shrink-0 disabled:opacity-55 aria-pressed:border-accent aria-pressed:bg-accent-soft",
            )}
          >
            <span className="min-w-0 truncate">{tag}</span>
          </button>
        ))}
        {offered.length === 0 && !isLoading && <p className="text-[13px] text-muted">{t("alerting.nothingFound")}</p>}
      </div>
      <FieldError text={error} />
      {error === undefined && hint !== undefined && <p className="text-[13px] text-faint">{hint}</p>}
    </fieldset>
  );
}
