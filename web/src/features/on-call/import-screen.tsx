import type { scheduleImportAnswer, ScheduleSource } from "@sonde/proto/http/on-call/import";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AnswerOf } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { BackLink } from "../../app/screen.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DropZone } from "../../ui/drop-zone.tsx";
import { Field } from "../../ui/field.tsx";
import { DashIcon, EditIcon, PlusIcon, WarnIcon } from "../../ui/icons.tsx";
import { Select, Textarea } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useImportSchedulesMutation } from "./api.ts";

const sources = {
  opsgenie: "Opsgenie",
  "grafana-oncall": "Grafana OnCall",
  pagerduty: "PagerDuty",
  ical: null,
} satisfies Record<ScheduleSource, string | null>;

type Answer = AnswerOf<typeof scheduleImportAnswer>;

/** Imports schedules of another tool: choose, look at the plan, apply. */
export default function ImportSchedulesScreen() {
  const { t } = useTranslation();
  const [source, setSource] = useState<ScheduleSource>("opsgenie");
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [importSchedules, { isLoading }] = useImportSchedulesMutation();

  async function run(given: string, dryRun: boolean) {
    setFailure(null);
    let data: unknown = given;
    try {
      if (source !== "ical") data = JSON.parse(given);
    } catch {
      return setFailure(t("onCall.import.invalid"));
    }
    const { data: planned, error } = await importSchedules({ input: { source, data }, dryRun });
    if (error !== undefined) return setFailure(errorText(error, "importSchedules"));
    setAnswer(planned);
  }
  async function onFiles([file]: readonly File[]) {
    const given = (await file?.text()) ?? "";
    setText(given);
    await run(given, true);
  }
  const saving = { saving: isLoading, savingLabel: t("onCall.import.applying") };
  return (
    <div className="mx-auto max-w-4xl">
      <BackLink to={paths.onCall} label={t("nav.onCall")} />
      <PageHeader title={t("onCall.import.title")} description={t("onCall.import.text")} />
      <div className="flex flex-col gap-4">
        {failure !== null && <Alert kind="error">{failure}</Alert>}
        {answer === null ? (
          <Card gap="gap-4">
            <Field label={t("onCall.import.source")} hint={t(`onCall.import.hints.${source}`)}>
              {(ids) => (
                <Select
                  {...ids}
                  value={source}
                  onChange={({ target }) => setSource(target.value as ScheduleSource)}
                  options={Object.entries(sources).map(([value, name]) => ({
                    value,
                    label: name ?? t("onCall.import.calendar"),
                  }))}
                />
              )}
            </Field>
            <DropZone
              label={t("onCall.import.button")}
              hint={t("onCall.import.drop")}
              accept=".json,.ics,.txt,application/json,text/calendar"
              reading={null}
              onFiles={(files) => void onFiles(files)}
            />
            <Field label={t("onCall.import.paste")} hint={t("onCall.import.people")}>
              {(ids) => (
                <Textarea {...ids} mono rows={6} value={text} onChange={({ target }) => setText(target.value)} />
              )}
            </Field>
            <Button
              className="self-start"
              disabled={text.trim() === ""}
              saving={isLoading}
              onClick={() => void run(text, true)}
            >
              {t("onCall.import.show")}
            </Button>
          </Card>
        ) : (
          <>
            <Plan answer={answer} />
            <div className="flex flex-wrap gap-2">
              {answer.dryRun ? (
                <>
                  {answer.plan.create.length + answer.plan.update.length > 0 && (
                    <Button variant="primary" {...saving} onClick={() => void run(text, false)}>
                      {t("onCall.import.apply")}
                    </Button>
                  )}
                  <Button disabled={isLoading} onClick={() => setAnswer(null)}>
                    {t("onCall.import.back")}
                  </Button>
                </>
              ) : (
                <ButtonLink to={paths.onCall} variant="primary">
                  {t("onCall.import.toSchedules")}
                </ButtonLink>
              )}
            </div>
          </>
        )}
      </div>
    </div>
  );
}

type PlannedRow = { name: string; action: keyof typeof looks; notes: string[] };
const looks = {
  create: { tone: "accent", icon: PlusIcon },
  update: { tone: "accent", icon: EditIcon },
  same: { icon: DashIcon },
  conflict: { tone: "warn", icon: WarnIcon },
} as const;

function Plan({ answer: { dryRun, plan, unmatched, notes, message } }: { answer: Answer }) {
  const { t } = useTranslation();
  const rows = new Map<string, PlannedRow>();
  const add = (path: string, action: PlannedRow["action"], note?: string) => {
    const row = rows.get(path) ?? { name: path.slice("schedules.".length), action, notes: [] };
    rows.set(path, { ...row, notes: note === undefined ? row.notes : [...row.notes, note] });
  };
  for (const path of plan.create) add(path, "create");
  for (const { path } of plan.update) {
    const at = path.lastIndexOf(".");
    add(path.slice(0, at), "update", t(`onCall.import.fields.${path.slice(at + 1) as "layers"}`));
  }
  for (const path of plan.same) add(path, "same");
  for (const { path, message: why } of plan.conflicts) {
    const whole = path.replace(/\.overrides$/, "");
    add(rows.has(whole) ? whole : path, "conflict", why);
  }
  for (const { schedule, text } of notes) add(`schedules.${schedule}`, "same", text);
  return (
    <>
      {!dryRun && message !== undefined && <Alert kind="success">{message}</Alert>}
      <Card title={t(dryRun ? "onCall.import.plan" : "onCall.import.done")} flush>
        <ul className="divide-y divide-line">
          {[...rows.values()].map(({ name, action, notes: lines }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 md:px-5">
              <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
              <Badge {...looks[action]}>{t(`onCall.import.actions.${action}`)}</Badge>
              {lines.length > 0 && (
                <p className="w-full text-[13px] wrap-anywhere whitespace-pre-line text-muted">{lines.join("\n")}</p>
              )}
            </li>
          ))}
        </ul>
      </Card>
      {unmatched.length > 0 && (
        <Card title={t("onCall.import.unmatched", { count: unmatched.length })} gap="gap-2">
          <p className="text-muted">{t("onCall.import.unmatchedText")}</p>
          <ul className="flex list-disc flex-col gap-1 pl-5">
            {unmatched.map((name) => (
              <li key={name} className="wrap-anywhere">
                {name}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
