import type { OnCallShift } from "@sonde/proto/http/on-call/schedules";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { formatDateTime, formatPeriod } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { SwapIcon, UserIcon } from "../../ui/icons.tsx";
import { Select } from "../../ui/inputs.tsx";
import { type NamedSchedule, usePeopleQuery } from "./api.ts";
import { coverOf, useSwap } from "./swap.ts";

export type OpenedShift = OnCallShift & { schedule: NamedSchedule };

/** A shift, and what can change it: taking it, giving it to somebody, or deleting its override. */
export function ShiftDialog({ shift, onClose }: { shift: OpenedShift; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { user, mayChange } = useSession();
  const { schedule, userId, start, end, source } = shift;
  const { isSaving, give, end: endOverride } = useSwap(schedule.id);
  const isOver = Date.parse(end) <= Date.now();
  const override = schedule.overrides.find((one) => one.userId === userId && one.start < end && one.end > start);
  const isMine = userId === user?.id;
  const cover = coverOf(shift);
  async function run(change: Promise<void>) {
    await change;
    onClose();
  }
  return (
    <Dialog
      onClose={onClose}
      title={schedule.nameOf(userId)}
      description={`${schedule.name} · ${formatPeriod({ fromMs: Date.parse(start), toMs: Date.parse(end) }, i18n.language)}`}
    >
      {source === "override" && (
        <p>
          <Badge tone="maintenance" icon={SwapIcon}>
            {t("onCall.override")}
          </Badge>
        </p>
      )}
      {isOver && <p className="text-muted">{t("onCall.over")}</p>}
      {!isOver && source === "override" && override !== undefined && (mayChange || isMine) && (
        <Button className="self-start" saving={isSaving} onClick={() => void run(endOverride(override))}>
          {t("onCall.deleteOverride")}
        </Button>
      )}
      {!isOver && source === "layer" && (
        <>
          {cover.isCut && (
            <Alert kind="info">{t("onCall.atMost", { until: formatDateTime(cover.toMs, i18n.language) })}</Alert>
          )}
          {!isMine && user !== null && (
            <Button
              variant="primary"
              className="self-start"
              saving={isSaving}
              onClick={() => void run(give({ userId: user.id, start, end }, user.username))}
            >
              <UserIcon />
              {t("onCall.take")}
            </Button>
          )}
          {mayChange && (
            <Cover
              shift={shift}
              isSaving={isSaving}
              onGive={(to, name) => run(give({ userId: to, start, end }, name))}
            />
          )}
          {!mayChange && isMine && <p className="text-muted">{t("onCall.askOthers")}</p>}
        </>
      )}
    </Dialog>
  );
}

type CoverProps = { shift: OpenedShift; isSaving: boolean; onGive: (userId: number, name: string) => Promise<void> };

function Cover({ shift, isSaving, onGive }: CoverProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data } = usePeopleQuery();
  const [chosen, setChosen] = useState(0);
  const others = data?.people.filter(({ id }) => id !== shift.userId && id !== user?.id) ?? [];
  const person = others.find(({ id }) => id === chosen) ?? others[0];
  if (data !== undefined && person === undefined) return <p className="text-muted">{t("onCall.nobodyElse")}</p>;
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field label={t("onCall.coverBy")} className="flex-1 basis-40">
        {(ids) => (
          <Select
            {...ids}
            className="w-full"
            value={person?.id ?? ""}
            onChange={({ target: { value } }) => setChosen(Number(value))}
            options={others.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
      </Field>
      <Button
        disabled={person === undefined}
        saving={isSaving}
        onClick={() => person && void onGive(person.id, person.name)}
      >
        <SwapIcon />
        {t(shift.userId === user?.id ? "onCall.cover" : "onCall.give")}
      </Button>
    </div>
  );
}
