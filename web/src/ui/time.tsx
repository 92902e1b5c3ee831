import { useTranslation } from "react-i18next";
import { useNow } from "../lib/hooks.ts";
import { formatDateTime, formatRelative, formatShortDateTime } from "../lib/format.ts";

type TimeProps = { at: string; relative?: boolean; short?: boolean };

/** An ISO 8601 time in local time. `relative` shows its age, `short` omits the year. The tooltip is complete. */
export function Time({ at, relative = false, short = false }: TimeProps) {
  const { i18n } = useTranslation();
  const exact = formatDateTime(at, i18n.language);
  return (
    <time dateTime={at} title={exact} className="tnum">
      {relative ? <Relative at={at} /> : short ? formatShortDateTime(at, i18n.language) : exact}
    </time>
  );
}

function Relative({ at }: { at: string }) {
  const { i18n } = useTranslation();
  return formatRelative(at, useNow(), i18n.language);
}
