import { useTranslation } from "react-i18next";
import { useNow } from "../lib/hooks.ts";
import { formatDateTime, formatRelative } from "../lib/format.ts";

/** An instant (ISO 8601) in local time; `relative` shows how long ago, with the exact time as title. */
export function Time({ at, relative = false }: { at: string; relative?: boolean }) {
  const { i18n } = useTranslation();
  const exact = formatDateTime(at, i18n.language);
  return (
    <time dateTime={at} title={exact} className="tnum">
      {relative ? <Relative at={at} /> : exact}
    </time>
  );
}

function Relative({ at }: { at: string }) {
  const { i18n } = useTranslation();
  return formatRelative(at, useNow(), i18n.language);
}
