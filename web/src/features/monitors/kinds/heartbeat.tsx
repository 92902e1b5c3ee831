import { useTranslation } from "react-i18next";
import { readNumber } from "../../../lib/typed.ts";
import { TextField } from "../../../ui/form-field.tsx";
import type { KindForm } from "./registry.ts";

const empty = { every: "60", cron: "", timeZone: "", grace: "300", slug: "" };
type Form = { heartbeat: typeof empty };

export const form: KindForm<"heartbeat", typeof empty> = {
  empty,
  show: ({ every, cron = "", timeZone = "", grace, slug = "" }) => ({
    every: every === undefined ? "" : String(every),
    cron,
    timeZone,
    grace: String(grace),
    slug,
  }),
  read: ({ every, cron, timeZone, grace, slug }) => ({
    type: "heartbeat",
    every: readNumber(every) ?? null,
    cron: cron.trim() === "" ? null : cron,
    timeZone: timeZone.trim() === "" ? null : timeZone,
    grace: readNumber(grace) ?? 300,
    slug: slug.trim() === "" ? null : slug,
  }),
  proposeName: () => "",
  Address,
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField<Form> name="heartbeat.every" label={t("monitorKinds.heartbeat.every")} autoFocus={autoFocus} />
      <TextField<Form> name="heartbeat.grace" label={t("monitorKinds.heartbeat.grace")} inputMode="numeric" />
      <TextField<Form> name="heartbeat.cron" label={t("monitorKinds.heartbeat.cron")} mono />
      <TextField<Form> name="heartbeat.timeZone" label={t("monitorKinds.heartbeat.timeZone")} />
      <TextField<Form> name="heartbeat.slug" label={t("monitorKinds.heartbeat.slug")} mono />
    </div>
  );
}
