import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { EscalationProgress } from "@sonde/proto/http/on-call/escalation";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { useAcknowledgeMutation } from "../../entities/incidents/api.ts";
import { useEscalateMutation } from "../../entities/on-call/api.ts";
import { formatSpan, formatTime } from "../../lib/format.ts";
import { useFromNow } from "../../lib/hooks.ts";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { ArrowUpIcon, CheckIcon, DashIcon, PendingIcon, SnoozeIcon } from "../../ui/icons.tsx";
import { Textarea } from "../../ui/inputs.tsx";
import { Time } from "../../ui/time.tsx";

type EscalationCardProps = { incident: Incident; escalation: EscalationProgress };
type Step = EscalationProgress["steps"][number];

const icons = {
  done: CheckIcon,
  nobody: DashIcon,
  next: PendingIcon,
  deferred: SnoozeIcon,
  stopped: DashIcon,
  later: DashIcon,
};

/** The steps of the policy with their states, and a countdown to the next one. */
export default function EscalationCard({ incident, escalation }: EscalationCardProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { policy, steps, acknowledgedBy, needs } = escalation;
  const isOpen = incident.closedAt === undefined;
  return (
    <Card
      title={t("escalation.title")}
      actions={isOpen && mayChange && <EscalateButton id={incident.id} policy={policy.name} />}
    >
      <p className="mb-3 text-[13px] text-muted">{policy.name}</p>
      <ol className="flex flex-col gap-3">
        {steps.map((step) => (
          <StepLine key={step.step} step={step} />
        ))}
      </ol>
      {isOpen && needs > 1 && acknowledgedBy.length > 0 && acknowledgedBy.length < needs && (
        <div className="mt-3 flex flex-wrap items-center justify-between gap-2 border-t border-line pt-3">
          <p className="text-[13px]">{t("escalation.acknowledged", { count: acknowledgedBy.length, needs })}</p>
          <AcknowledgeToo id={incident.id} acknowledgedBy={acknowledgedBy} />
        </div>
      )}
    </Card>
  );
}

function StepLine({ step: { step, state, at, notified, waiting } }: { step: Step }) {
  const { t, i18n } = useTranslation();
  const Icon = icons[state];
  const isTaken = state === "done";
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5" data-state={state}>
      <Icon className={cx("mt-1 size-4", isTaken ? "text-up-ink" : state === "next" ? "text-accent" : "text-muted")} />
      <div className="min-w-0">
        <p className="flex flex-wrap justify-between gap-x-3">
          <span className="font-medium">{t("escalation.step", { number: step })}</span>
          {at !== undefined && (
            <span className="text-[13px] text-faint">
              <Time at={at} short />
            </span>
          )}
        </p>
        <p className="text-[13px] break-words text-muted">
          {t(`escalation.state.${state}`, { names: notified.join(", ") || "–" })}
          {state === "next" && at !== undefined && (
            <>
              {" · "}
              <Countdown at={at} />
            </>
          )}
        </p>
        {waiting.map(({ name, until }, index) => (
          <p key={index} className="text-[13px] break-words text-muted">
            {t("escalation.waiting", { name, time: until === undefined ? "–" : formatTime(until, i18n.language) })}
          </p>
        ))}
      </div>
    </li>
  );
}

/** `in 4 min`, by the second in the last minute. */
function Countdown({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  const seconds = useFromNow((nowMs) => Math.ceil((Date.parse(at) - nowMs) / 1_000));
  if (seconds <= 0) return <span>{t("escalation.now")}</span>;
  const shownMs = (seconds > 60 ? Math.ceil(seconds / 60) * 60 : seconds) * 1_000;
  return <span className="tnum">{t("escalation.in", { time: formatSpan(shownMs, i18n.language) })}</span>;
}

function EscalateButton({ id, policy }: { id: string; policy: string }) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  const [note, setNote] = useState("");
  const [escalate] = useEscalateMutation();
  return (
    <>
      <Button size="sm" onClick={() => setIsAsking(true)}>
        <ArrowUpIcon />
        {t("escalation.escalate")}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={t("escalation.confirmTitle")}
        description={t("escalation.confirmText", { name: policy })}
        confirmLabel={t("escalation.escalate")}
        savingLabel={t("escalation.escalating")}
        onConfirm={async () => {
          const { error } = await escalate({ id, note: note.trim() === "" ? undefined : note });
          if (error !== undefined) throw new Error(errorText(error, "escalate"));
          setNote("");
          toast("success", t("escalation.escalated"));
        }}
      >
        <Field label={t("escalation.note")} hint={t("escalation.noteHint")}>
          {(ids) => (
            <Textarea
              {...ids}
              rows={2}
              maxLength={2_000}
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          )}
        </Field>
      </ConfirmDialog>
    </>
  );
}

function AcknowledgeToo({ id, acknowledgedBy }: { id: string; acknowledgedBy: readonly string[] }) {
  const { t } = useTranslation();
  const { mayChange, user } = useSession();
  const [acknowledge, { isLoading }] = useAcknowledgeMutation();
  if (!mayChange || user === null || acknowledgedBy.includes(user.username)) return null;
  async function act() {
    const { error } = await acknowledge({ id });
    if (error !== undefined) toast("error", errorText(error, "acknowledge"));
  }
  return (
    <Button size="sm" variant="primary" saving={isLoading} onClick={() => void act()}>
      <CheckIcon />
      {t("escalation.acknowledgeToo")}
    </Button>
  );
}
