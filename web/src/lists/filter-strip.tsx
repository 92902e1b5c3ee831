import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../lib/format.ts";
import { cx } from "../ui/cx.ts";

export type StripChoice = {
  key: string;
  name: string;
  /** `undefined` if unknown. */
  count?: number | undefined;
  icon?: ComponentType<{ className?: string }>;
  ink?: string;
  isChosen: boolean;
  onChoose: () => void;
};

export function FilterStrip({ label, choices }: { label: string; choices: readonly StripChoice[] }) {
  const { i18n } = useTranslation();
  return (
    <div
      role="group"
      aria-label={label}
      className="-mx-4 mb-3 flex gap-2 overflow-x-auto px-4 py-0.5 md:-mx-6 md:px-6 lg:mx-0 lg:flex-wrap lg:px-0"
    >
      {choices.map(({ key, name, count, icon: Icon, ink, isChosen, onChoose }) => (
        <button
          key={key}
          type="button"
          aria-pressed={isChosen}
          onClick={onChoose}
          className={cx(
            "inline-flex h-8 shrink-0 items-center gap-1.5 rounded-full border px-3 text-[13px] whitespace-nowrap pointer-coarse:h-10",
            isChosen ? "border-accent bg-accent-soft text-ink" : "border-line bg-surface text-muted hover:text-ink",
          )}
        >
          {Icon !== undefined && <Icon className={cx("size-3.5", ink)} />}
          {count !== undefined && (
            <>
              <span className="tnum font-semibold text-ink">{formatNumber(count, i18n.language)}</span>{" "}
            </>
          )}
          {name}
        </button>
      ))}
    </div>
  );
}
