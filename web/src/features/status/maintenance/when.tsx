import { useTranslation } from "react-i18next";
import { ownTimeZone } from "./zone-time.ts";

const styles = new Map<string, Intl.DateTimeFormat>();

function rangeText(start: string, end: string, timeZone: string, language: string): string {
  const key = `${language} ${timeZone}`;
  const style =
    styles.get(key) ??
    new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone });
  styles.set(key, style);
  return style.formatRange(new Date(start), new Date(end));
}

/** From when to when, as the clock of its zone shows it, and beside it as the reader's does where that differs. */
export function When({ start, end, timeZone }: { start: string; end: string; timeZone: string }) {
  const { t, i18n } = useTranslation();
  const there = rangeText(start, end, timeZone, i18n.language);
  const here = rangeText(start, end, ownTimeZone(), i18n.language);
  return (
    <span className="tnum flex flex-wrap gap-x-3">
      <span>
        {there} ({timeZone})
      </span>
      {here !== there && (
        <span className="text-faint">
          {t("maintenance.yourTime")}: {here}
        </span>
      )}
    </span>
  );
}
