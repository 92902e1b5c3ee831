import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { fieldErrorsOf } from "../../../app/errors.ts";
import { formatDateTime, ownTimeZone } from "../../../lib/format.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { parseDuration } from "../../../lib/typed.ts";
import { zonesWith } from "../../../lib/zone-time.ts";
import { Segmented } from "../../../ui/choice.tsx";
import { FieldGroup } from "../../../ui/field.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { Input, Select, Switch } from "../../../ui/inputs.tsx";
import { useScheduleQuery } from "../heartbeat/api.ts";
import type { KindForm } from "./registry.ts";

const units = { m: 1, h: 60, d: 1440 } as const;
type Unit = keyof typeof units;

const empty = {
  by: "every" as "every" | "cron",
  every: "1",
  unit: "d" as Unit,
  cron: "",
  timeZone: ownTimeZone(),
  grace: "5m",
  startGrace: "",
  maxRuntime: "",
  minRuntime: "",
  slug: "",
  keepOutput: true,
};
type HeartbeatValues = typeof empty;
type Form = { heartbeat: HeartbeatValues };

/** Seconds as they were typed; null for an empty field, NaN for what is no duration. */
const readSeconds = (text: string): number | null => (text.trim() === "" ? null : (parseDuration(text, "s") ?? NaN));

/** Seconds as people write them: `90s`, `5m`, `2h`. */
function writeSeconds(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  const [size, name] = (
    [
      [86_400, "d"],
      [3600, "h"],
      [60, "m"],
    ] as const
  ).find(([one]) => seconds > 0 && seconds % one === 0) ?? [1, "s"];
  return `${seconds / size}${name}`;
}

/** Minutes in the largest unit that they are a whole number of. */
function writeEvery(minutes: number): Pick<HeartbeatValues, "every" | "unit"> {
  const unit = (["d", "h"] as const).find((name) => minutes % units[name] === 0) ?? "m";
  return { every: String(minutes / units[unit]), unit };
}

export const form: KindForm<"heartbeat", HeartbeatValues> = {
  empty,
  show: ({ every, cron, timeZone, grace, startGrace, maxRuntime, minRuntime, slug = "", keepOutput }) => ({
    ...empty,
    ...(every !== undefined && writeEvery(every)),
    ...(cron !== undefined && { by: "cron", cron, timeZone: timeZone ?? "UTC" }),
    grace: writeSeconds(grace),
    startGrace: writeSeconds(startGrace),
    maxRuntime: writeSeconds(maxRuntime),
    minRuntime: writeSeconds(minRuntime),
    slug,
    keepOutput,
  }),
  read: ({ by, every, unit, cron, timeZone, slug, keepOutput, ...typed }) => ({
    type: "heartbeat",
    ...(by === "cron"
      ? { cron, timeZone, every: null }
      : { every: every.trim() === "" ? NaN : Number(every) * units[unit], cron: null, timeZone: null }),
    grace: readSeconds(typed.grace) ?? 300,
    startGrace: readSeconds(typed.startGrace),
    maxRuntime: readSeconds(typed.maxRuntime),
    minRuntime: readSeconds(typed.minRuntime),
    slug: slug.trim() === "" ? null : slug.trim(),
    keepOutput,
  }),
  proposeName: () => "",
  Address,
  advanced: { names: ["startGrace", "maxRuntime", "minRuntime", "slug", "keepOutput"], Fields: AdvancedFields },
};

/** When the job runs, and how late it may be. */
function Address() {
  const { t } = useTranslation();
  const { setValue } = useFormContext<Form>();
  const by = useWatch<Form, "heartbeat.by">({ name: "heartbeat.by" });
  return (
    <>
      <div>
        <Segmented
          label={t("heartbeat.form.by")}
          value={by}
          onChange={(next) => setValue("heartbeat.by", next, { shouldDirty: true })}
          options={[
            { value: "every", label: t("heartbeat.form.byEvery") },
            { value: "cron", label: t("heartbeat.form.byCron") },
          ]}
        />
      </div>
      {by === "every" ? <EveryField /> : <CronFields />}
      <TextField<Form>
        name="heartbeat.grace"
        label={t("monitorKinds.heartbeat.grace")}
        hint={t("heartbeat.form.graceHint")}
        className="max-w-60"
      />
    </>
  );
}

function EveryField() {
  const { t } = useTranslation();
  const { register } = useFormContext<Form>();
  return (
    <FormField<Form>
      name="heartbeat.every"
      label={t("monitorKinds.heartbeat.every")}
      hint={t("heartbeat.form.everyHint")}
      required
    >
      {(props) => (
        <span className="flex max-w-60 gap-2">
          <Input {...props} inputMode="numeric" />
          <Select
            className="w-28 shrink-0"
            {...register("heartbeat.unit")}
            aria-label={t("heartbeat.form.unit")}
            options={(["m", "h", "d"] as const).map((value) => ({ value, label: t(`heartbeat.form.units.${value}`) }))}
          />
        </span>
      )}
    </FormField>
  );
}

const typingMs = 400;

function CronFields() {
  const { t } = useTranslation();
  const timeZone = useWatch<Form, "heartbeat.timeZone">({ name: "heartbeat.timeZone" });
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField<Form>
          name="heartbeat.cron"
          label={t("monitorKinds.heartbeat.cron")}
          hint={t("heartbeat.form.cronHint")}
          placeholder="0 3 * * *"
          mono
          required
        />
        <FormField<Form>
          name="heartbeat.timeZone"
          label={t("monitorKinds.heartbeat.timeZone")}
          options={zonesWith(timeZone).map((value) => ({ value, label: value }))}
        />
      </div>
      <NextRuns />
    </div>
  );
}

/** When it would run, as the server understands it, or why that is no schedule. */
function NextRuns() {
  const { t, i18n } = useTranslation();
  const [cron, timeZone] = useWatch<Form, ["heartbeat.cron", "heartbeat.timeZone"]>({
    name: ["heartbeat.cron", "heartbeat.timeZone"],
  });
  const { formState, getFieldState } = useFormContext<Form>();
  const asked = useSettled(cron.trim(), typingMs);
  const isTyping = asked !== cron.trim();
  const { currentData, error } = useScheduleQuery({ cron: asked, timeZone }, { skip: asked === "" });
  const fault = isTyping ? undefined : fieldErrorsOf(error)[0]?.message;
  const isMarked = getFieldState("heartbeat.cron", formState).error !== undefined;
  return (
    <div aria-live="polite" className="text-[13px]">
      {fault !== undefined && asked !== "" ? (
        // After a save the field itself has it.
        !isMarked && <p className="text-down-ink">{fault}</p>
      ) : currentData === undefined || isTyping ? (
        <p className="text-faint">{cron.trim() === "" ? t("heartbeat.form.noNext") : " "}</p>
      ) : (
        <>
          <p className="font-medium">
            {t("heartbeat.form.next")}{" "}
            <span className="font-normal text-faint">{t("heartbeat.form.nextIn", { zone: ownTimeZone() })}</span>
          </p>
          <ol className="tnum mt-1 flex flex-wrap gap-x-5 gap-y-0.5 text-muted">
            {currentData.next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{formatDateTime(at, i18n.language)}</time>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

const examples = { startGrace: "10m", maxRuntime: "2h", minRuntime: "10s", slug: "nightly-backup" };

function AdvancedFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<Form>();
  const field = (name: keyof typeof examples) =>
    ({
      name: `heartbeat.${name}`,
      placeholder: examples[name],
      label: t(`monitorKinds.heartbeat.${name}`),
      hint: t(`heartbeat.form.${name}Hint`),
    }) as const;
  return (
    <FieldGroup title={t("heartbeat.form.limits")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField<Form> {...field("startGrace")} />
        <TextField<Form> {...field("maxRuntime")} />
        <TextField<Form> {...field("minRuntime")} />
        <TextField<Form> {...field("slug")} mono />
      </div>
      <Switch
        label={t("monitorKinds.heartbeat.keepOutput")}
        hint={t("heartbeat.form.keepOutputHint")}
        {...register("heartbeat.keepOutput")}
      />
    </FieldGroup>
  );
}
