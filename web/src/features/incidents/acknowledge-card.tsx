import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { CheckIcon, EditIcon } from "../../ui/icons.tsx";
import { Textarea } from "../../ui/inputs.tsx";
import { Time } from "../../ui/time.tsx";
import { UnsavedGuard } from "../../app/unsaved-guard.tsx";
import { useAcknowledgeMutation } from "./api.ts";

/** Who works on it and what they wrote; for those who may, the way to acknowledge it. */
export function AcknowledgeCard({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [editing, setEditing] = useState(false);
  const { acknowledgedAt, acknowledgedBy, note, closedAt } = incident;
  const isAcknowledged = acknowledgedAt !== undefined;
  if (!isAcknowledged && closedAt !== undefined) return null;
  return (
    <Card title={t("incident.acknowledgement")}>
      {isAcknowledged && (
        <div className="flex flex-col gap-2">
          <p>
            {t("incident.acknowledgedBy", { name: acknowledgedBy ?? "–" })}
            <span className="block text-[13px] text-muted">
              <Time at={acknowledgedAt} />
            </span>
          </p>
          {note !== undefined && !editing && (
            <p className="rounded-md bg-sunken px-3 py-2 whitespace-pre-wrap">{note}</p>
          )}
          {mayChange && !editing && (
            <Button size="sm" className="self-start" onClick={() => setEditing(true)}>
              <EditIcon />
              {t(note === undefined ? "incident.addNote" : "incident.changeNote")}
            </Button>
          )}
        </div>
      )}
      {!isAcknowledged && !mayChange && <p className="text-muted">{t("incident.viewerNote")}</p>}
      {mayChange && (editing || !isAcknowledged) && (
        <AcknowledgeForm
          key={String(isAcknowledged)}
          incident={incident}
          isChange={isAcknowledged}
          onDone={() => setEditing(false)}
        />
      )}
    </Card>
  );
}

type AcknowledgeFormProps = { incident: Incident; isChange: boolean; onDone: () => void };

function AcknowledgeForm({ incident: { id, note = "" }, isChange, onDone }: AcknowledgeFormProps) {
  const { t } = useTranslation();
  const [acknowledge, { error, isLoading }] = useAcknowledgeMutation();
  const [text, setText] = useState(note);
  const fault = fieldErrorsOf(error).find(({ path }) => path === "note")?.message;

  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await acknowledge({ id, note: text.trim() === "" ? undefined : text });
    if (answer.error === undefined) onDone();
  }
  return (
    <form noValidate className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
      {!isChange && <p className="text-muted">{t("incident.acknowledgeText")}</p>}
      {error !== undefined && <Alert kind="error">{errorText(error, "acknowledge")}</Alert>}
      <Field label={t("incident.note")} hint={t("incident.noteHint")} error={fault}>
        {(ids) => (
          <Textarea
            {...ids}
            rows={3}
            maxLength={2000}
            value={text}
            autoFocus={isChange}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          saving={isLoading}
          savingLabel={t(isChange ? "incident.savingNote" : "incident.acknowledging")}
        >
          <CheckIcon />
          {t(isChange ? "incident.saveNote" : "incident.acknowledge")}
        </Button>
        {isChange && (
          <Button onClick={onDone} disabled={isLoading}>
            {t("common.cancel")}
          </Button>
        )}
      </div>
      <UnsavedGuard unsaved={text !== note && !isLoading} />
    </form>
  );
}
