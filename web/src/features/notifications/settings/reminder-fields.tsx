import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../../app/paths.ts";
import { formatDateTime, formatSpan, formatTime } from "../../../lib/format.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import type { NextReminder } from "../api.ts";
import { readMinutes, type SettingsValues } from "./form-values.ts";

/** How often people are reminded, as a sentence while it is typed. */
export function ReminderFields({ next }: { next: NextReminder | undefined }) {
  const { t, i18n } = useTranslation();
  const cooldown = useWatch<SettingsValues, "cooldown">({ name: "cooldown" });
  const minutes = readMinutes(cooldown);
  return (
    <div className="flex flex-col gap-2">
      <FormField<SettingsValues>
        name="cooldown"
        label={t("notificationSettings.interval")}
        hint={t("notificationSettings.intervalHint")}
        className="max-w-64"
      >
        {(props) => <Input {...props} spellCheck={false} />}
      </FormField>
      {Number.isFinite(minutes) && (
        <p className="text-muted">
          {minutes === 0
            ? t("notificationSettings.reminderNone")
            : t("notificationSettings.reminderEvery", { span: formatSpan(minutes * 60_000, i18n.language) })}
          {minutes > 0 && next !== undefined && (
            <>
              {" "}
              <Next next={next} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** When the next reminder is due, and for whose incident. */
function Next({ next: { at, target, incidentId } }: { next: NextReminder }) {
  const { t, i18n } = useTranslation();
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const time = isToday ? formatTime(at, i18n.language) : formatDateTime(at, i18n.language);
  return (
    <span className="tnum">
      {t("notificationSettings.reminderNext", { time })}{" "}
      <Link to={paths.incident(incidentId)} className="font-medium text-ink underline">
        {target.name}
      </Link>
    </span>
  );
}
