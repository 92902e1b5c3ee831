import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { useAcknowledgeMutation } from "../../entities/incidents/api.ts";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { CheckIcon, EditIcon, EyeIcon } from "../../ui/icons.tsx";
import { Textarea } from "../../ui/inputs.tsx";
import { Time } from "../../ui/time.tsx";

export function Acknowledgement({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [editing, setEditing] = useState(false);
  const { acknowledgedAt, acknowledgedBy, note, closedAt } = incident;
  if (acknowledgedAt === undefined) {
    if (mayChange || closedAt !== undefined) return null;
    return <Alert kind="info">{t("incident.viewerNote")}</Alert>;
  }
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <EyeIcon className="size-4 text-accent" />
        <p className="min-w-0 flex-1">
          <span className="font-medium">{t("incident.acknowledgedBy", { name: acknowledgedBy ?? "–" })}</span>{" "}
          <span className="text-[13px] text-muted">
            <Time at={acknowledgedAt} relative />
          </span>
        </p>
        {mayChange && !editing && (
          <Button size="sm" onClick={() => setEditing(true)}>
            <EditIcon />
            {t(note === undefined ? "incident.addNote" : "incident.changeNote")}
          </Button>
        )}
      </div>
      {note !== undefined && !editing && (
        <p className="mt-3 rounded-md bg-sunken px-3 py-2 whitespace-pre-wrap">{note}</p>
      )}
      {editing && <NoteForm incident={incident} onDone={() => setEditing(false)} />}
    </Card>
  );
}

function NoteForm({ incident: { id, note = "" }, onDone }: { incident: Incident; onDone: () => void }) {
  const { t } = useTranslation();
  const [acknowledge, { error, isLoading }] = useAcknowledgeMutation();
  const [text, setText] = useState(note);
  const noteError = fieldErrorsOf(error).find(({ path }) => path === "note")?.message;

  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await acknowledge({ id, note: text.trim() === "" ? undefined : text });
    if (answer.error === undefined) onDone();
  }
  return (
    <form noValidate className="mt-3 flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Alert kind="error">{errorText(error, "acknowledge")}</Alert>}
      <Field label={t("incident.note")} hint={t("incident.noteHint")} error={noteError}>
        {(ids) => (
          <Textarea
            {...ids}
            rows={3}
            maxLength={2000}
            value={text}
            autoFocus
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" saving={isLoading} savingLabel={t("common.saving")}>
          <CheckIcon />
          {t("incident.saveNote")}
        </Button>
        <Button onClick={onDone} disabled={isLoading}>
          {t("common.cancel")}
        </Button>
      </div>
      <UnsavedGuard unsaved={text !== note && !isLoading} />
    </form>
  );
}
