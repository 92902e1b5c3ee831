import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { usePoliciesQuery, useRecipientsQuery } from "../../../entities/on-call/api.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { OptionGroup } from "../policies/recipients.tsx";
import { useStartDrillMutation } from "../api.ts";

const schedules = ["once", "weekly", "monthly"] as const;
type Schedule = (typeof schedules)[number];

/** Chooses whom a drill notifies, and how often. */
export function StartDialog({ onClose, onStarted }: { onClose: () => void; onStarted: (message: string) => void }) {
  const { t } = useTranslation();
  const { data: recipients = [] } = useRecipientsQuery();
  const { data: { policies } = { policies: [] } } = usePoliciesQuery();
  const [start, { error, isLoading }] = useStartDrillMutation();
  const [target, setTarget] = useState("");
  const [schedule, setSchedule] = useState<Schedule>("once");
  const groups = [
    { kind: "user", options: recipients.filter(({ kind }) => kind === "user") },
    { kind: "policy", options: policies.map(({ id, name }) => ({ value: `policy:${id}`, name })) },
    { kind: "channel", options: recipients.filter(({ kind }) => kind === "channel") },
  ] as const;
  async function onStart() {
    const { data } = await start(schedule === "once" ? { target } : { target, schedule });
    if (data === undefined) return;
    onStarted(data.message ?? t("drills.started"));
    onClose();
  }
  return (
    <Dialog
      onClose={onClose}
      title={t("drills.start")}
      description={t("drills.startText")}
      footer={
        <>
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button
            variant="primary"
            disabled={target === ""}
            saving={isLoading}
            savingLabel={t("drills.starting")}
            onClick={() => void onStart()}
          >
            {t("drills.start")}
          </Button>
        </>
      }
    >
      {error !== undefined && <Alert kind="error">{errorText(error, "startDrill")}</Alert>}
      <Field label={t("drills.target")}>
        {(ids) => (
          <Select {...ids} value={target} onChange={(event) => setTarget(event.target.value)}>
            <option value="">{t("drills.choose")}</option>
            {groups.map(({ kind, options }) => (
              <OptionGroup key={kind} label={t(`drills.kinds.${kind}`)} options={options} />
            ))}
          </Select>
        )}
      </Field>
      <Field label={t("drills.repeat")}>
        {(ids) => (
          <Select
            {...ids}
            value={schedule}
            onChange={(event) => setSchedule(event.target.value as Schedule)}
            options={schedules.map((value) => ({ value, label: t(`drills.schedules.${value}`) }))}
          />
        )}
      </Field>
    </Dialog>
  );
}
