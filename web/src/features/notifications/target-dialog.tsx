import type { TargetType } from "@sonde/proto/http/targets";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useSettled } from "../../lib/settled.ts";
import { Alert } from "../../ui/alert.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { PulseIcon, ServerIcon } from "../../ui/icons.tsx";
import { Input } from "../../ui/inputs.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { type TargetName, useTargetsByNameQuery } from "./api.ts";

const waitMs = 200;
const longestSearch = 200;

type TargetDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onPick: (target: TargetName) => void;
};

/** Asks for a monitor or an agent, found by its name. */
export function TargetDialog({ open, onOpenChange, onPick }: TargetDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("notificationSettings.pickTitle")}>
      <TargetSearch
        onPick={(target) => {
          onOpenChange(false);
          onPick(target);
        }}
      />
    </Dialog>
  );
}

function TargetSearch({ onPick }: Pick<TargetDialogProps, "onPick">) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const search = useSettled(text.trim(), waitMs).slice(0, longestSearch);
  const monitors = useTargetsByNameQuery({ type: "monitor", search });
  const agents = useTargetsByNameQuery({ type: "agent", search });
  const isFetching = monitors.isFetching || agents.isFetching;
  const none = monitors.currentData?.length === 0 && agents.currentData?.length === 0;
  return (
    <div className="flex flex-col gap-3">
      <Field label={t("notificationSettings.pick")} hint={t("notificationSettings.pickHint")}>
        {(ids) => (
          <Input
            {...ids}
            type="search"
            autoComplete="off"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {/* As high as it is with results, so that nothing jumps while somebody types. */}
      <div className="flex min-h-64 flex-col gap-3">
        <TargetGroup type="monitor" targets={monitors.currentData ?? monitors.data} onPick={onPick} />
        <TargetGroup type="agent" targets={agents.currentData ?? agents.data} onPick={onPick} />
        {[monitors.error, agents.error].map(
          (error, index) =>
            error !== undefined && (
              <Alert key={index} kind="error">
                {errorText(error, index === 0 ? "fetchMonitors" : "fetchAgents")}
              </Alert>
            ),
        )}
        <p role="status" className="flex items-center gap-2 text-muted empty:hidden">
          {isFetching ? <Spinner /> : none && t("notificationSettings.pickNone")}
        </p>
      </div>
    </div>
  );
}

type TargetGroupProps = {
  type: TargetType;
  targets: readonly TargetName[] | undefined;
  onPick: (target: TargetName) => void;
};

function TargetGroup({ type, targets, onPick }: TargetGroupProps) {
  const { t } = useTranslation();
  if (targets === undefined || targets.length === 0) return null;
  const title = type === "monitor" ? t("notificationSettings.pickMonitors") : t("notificationSettings.pickAgents");
  const Icon = type === "monitor" ? PulseIcon : ServerIcon;
  return (
    <section aria-label={title}>
      <h3 className="text-[13px] font-medium text-muted">{title}</h3>
      <ul className="mt-1">
        {targets.map((target) => (
          <li key={target.id}>
            <button
              type="button"
              onClick={() => onPick(target)}
              className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-sunken"
            >
              <Icon className="size-4 text-muted" />
              <span className="min-w-0 truncate">{target.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
