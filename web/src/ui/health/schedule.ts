import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatRelative, formatSpan } from "../../lib/format.ts";
import { useFromNow } from "../../lib/hooks.ts";

/** True for monitors that are not checked: they receive reports or alerts, or follow their members. */
export const isPassive = (type: CheckType): boolean => type === "heartbeat" || type === "inbound" || type === "group";

/** Displayed target of a monitor. For a heartbeat, its interval in the user's language. */
export function targetText(target: string, t: TFunction, language: string): string {
  const [, minutes] = /^every (\d+(?:\.\d+)?) min$/.exec(target) ?? [];
  return minutes === undefined ? target : t("common.every", { span: formatSpan(Number(minutes) * 60_000, language) });
}

/** How long ago a job reported, or a dash before its first report. */
export function LastReport({ at }: { at: string | null }): string {
  const { language } = useTranslation().i18n;
  return useFromNow((nowMs) => (at === null ? "–" : formatRelative(Math.min(Date.parse(at), nowMs), nowMs, language)));
}
