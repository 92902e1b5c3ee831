import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { showOverlay } from "../../app/keyboard/keys.ts";
import { useUndo } from "../../app/undo.ts";
import { useEndSilenceMutation, useSilenceMutation } from "../../entities/silences/api.ts";
import { type EndName, endsFrom, silenceEnds } from "../../entities/silences/ends.ts";
import { requestedSilence, type NamedSilenceTarget } from "../../entities/silences/request.ts";
import { TagChoice } from "../../entities/targets/tag-choice.tsx";
import { TargetSearch } from "../../entities/targets/target-picker.tsx";
import { TargetIcon } from "../../entities/targets/target-line.tsx";
import { formatLocalDay, formatTime, ownTimeZone } from "../../lib/format.ts";
import { instantOf, wallTime } from "../../lib/zone-time.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { RadioChips } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";

const dayMs = 86_400_000;
const maxNote = 500;

/** A new silence of the requested target, or of one to choose. */
export default function SilenceDialog() {
  const { t, i18n } = useTranslation();
  const offerUndo = useUndo();
  const [silence, { isLoading }] = useSilenceMutation();
  const [endSilence] = useEndSilenceMutation();
  const [chosen, setChosen] = useState<NamedSilenceTarget | null>(requestedSilence);
  const [ends] = useState(() => endsFrom(Date.now(), silenceEnds));
  const [endName, setEndName] = useState<EndName | "other">("h2");
  const [until, setUntil] = useState(() => wallTime(Date.now() + dayMs, ownTimeZone()));
  const [note, setNote] = useState("");
  const [error, setError] = useState<string | null>(null);
  const close = () => showOverlay(null);
  const choose = (target: NamedSilenceTarget | null) => {
    setChosen(target);
    setError(null);
  };

  async function save() {
    if (chosen === null) return setError(t("quiet.chooseTarget"));
    const untilMs = instantOf(until, ownTimeZone()) ?? 0;
    const end = ends.find(({ name }) => name === endName)?.end ?? { until: new Date(untilMs).toISOString() };
    const { data, error } = await silence({ target: chosen.target, ...end, note: note.trim() || undefined });
    if (error !== undefined) return setError(errorText(error, "silence"));
    close();
    const time = `${formatLocalDay(untilMs, i18n.language)} ${formatTime(untilMs, i18n.language)}`;
    const words = endName === "other" ? t("quiet.untilTime", { time }) : t(`quiet.span.${endName}`);
    offerUndo(t("quiet.silenced", { name: chosen.name, end: words }), () => endSilence(data.silence.id), "endSilence");
  }

  return (
    <Dialog onClose={close} title={t("quiet.add")} description={t("quiet.listText")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {error !== null && <Alert kind="error">{error}</Alert>}
        {chosen === null ? (
          <>
            <Field label={t("quiet.what")}>
              {(ids) => (
                <TargetSearch {...ids} onPick={({ type, id, name }) => choose({ target: { type, id }, name })} />
              )}
            </Field>
            <TagChoice
              label={t("quiet.orTag")}
              value={[]}
              onChange={([name = ""]) => choose({ target: { type: "tag", name }, name })}
            />
          </>
        ) : (
          <div>
            <p className="mb-1.5 text-[13px] font-medium">{t("quiet.silence")}</p>
            <ul className="flex">
              <Chip
                icon={
                  chosen.target.type === "tag" ? (
                    <Badge>{t("quiet.tag")}</Badge>
                  ) : (
                    <TargetIcon type={chosen.target.type} className="size-3.5 text-muted" />
                  )
                }
                removeLabel={t("quiet.chooseOther", { name: chosen.name })}
                onRemove={() => choose(null)}
              >
                {chosen.name}
              </Chip>
            </ul>
          </div>
        )}
        <RadioChips
          label={t("quiet.howLong")}
          value={endName}
          onChange={setEndName}
          options={[
            ...ends.map(({ name }) => ({ value: name as EndName | "other", label: t(`quiet.ends.${name}`) })),
            { value: "other", label: t("quiet.other") },
          ]}
        />
        {endName === "other" && (
          <Field label={t("quiet.until")} hint={t("quiet.untilHint")}>
            {(ids) => (
              <Input {...ids} type="datetime-local" value={until} onChange={({ target }) => setUntil(target.value)} />
            )}
          </Field>
        )}
        <Field label={t("quiet.note")}>
          {(ids) => (
            <Input {...ids} value={note} maxLength={maxNote} onChange={({ target }) => setNote(target.value)} />
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={close}>{t("common.cancel")}</Button>
          <Button type="submit" variant="primary" saving={isLoading}>
            {t("quiet.silence")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
