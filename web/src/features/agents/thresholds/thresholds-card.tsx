import type { Agent } from "@sonde/proto/http/agents/agents";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { type AllSettings, useSettingsInForceQuery } from "../../../entities/notifications/api.ts";
import { formatUsage } from "../../../lib/measures.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card, Entry } from "../../../ui/card.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { EditIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useResetAgentSettingsMutation } from "../api.ts";
import { thresholdMetrics, type Thresholds } from "../meter.tsx";

const ThresholdsForm = lazy(() => import("./thresholds-form.tsx"));

export function ThresholdsCard({ agent, inForce }: { agent: Agent; inForce: ThresholdsNow }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [isEditing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [reset] = useResetAgentSettingsMutation();
  const [notice, setNotice] = useState<string | null>(null);
  const editButton = useFocusAfter(isEditing);
  const { scope, all } = inForce;
  const close = (saved: string | null) => {
    setNotice(saved);
    setEditing(false);
  };
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {t("agentThresholds.title")}
          <Badge tone={scope === "agent" ? "accent" : "plain"}>{t(`agentThresholds.scope.${scope}`)}</Badge>
        </span>
      }
      actions={
        mayChange &&
        all !== undefined &&
        !isEditing && (
          <span className="flex flex-wrap gap-2">
            {scope === "agent" && (
              <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
                {t("agentThresholds.reset")}
              </Button>
            )}
            <Button ref={editButton} size="sm" onClick={() => setEditing(true)}>
              <EditIcon />
              {t("agentThresholds.edit")}
            </Button>
          </span>
        )
      }
    >
      {notice !== null && !isEditing && (
        <Alert kind="success" className="mb-4">
          {notice}
        </Alert>
      )}
      {isEditing && all !== undefined ? (
        <Suspense fallback={<Skeleton className="h-24 w-full" />}>
          <ThresholdsForm id={agent.id} all={all} onClose={close} />
        </Suspense>
      ) : (
        <Shown inForce={inForce} />
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t("agentThresholds.askTitle")}
        description={t("agentThresholds.askText", { name: agent.name })}
        confirmLabel={t("agentThresholds.reset")}
        savingLabel={t("agentThresholds.resetting")}
        onConfirm={async () => {
          const { error } = await reset(agent.id);
          if (error !== undefined) throw new Error(errorText(error, "saveSettings"));
          setNotice(t("agentThresholds.wasReset"));
        }}
      />
    </Card>
  );
}

function Shown({ inForce: { thresholds, scope, all } }: { inForce: ThresholdsNow }) {
  const { t, i18n } = useTranslation();
  const percentText = (percent: number | null) =>
    percent === null ? t("agentThresholds.off") : formatUsage(percent, i18n.language);
  const globals = scope === "agent" ? all?.globalAgent.thresholds : undefined;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
      <p className="text-muted">{t(`agentThresholds.source.${scope}`)}</p>
      <dl className="grid w-full grid-cols-3 gap-x-6 sm:w-auto sm:min-w-96">
        {thresholdMetrics.map((metric) => (
          <Entry key={metric} name={t(`agents.${metric}`)}>
            <span className="tnum font-medium">{percentText(thresholds[metric])}</span>
            {globals !== undefined && (
              <span className="tnum block text-[13px] text-faint">
                {t("agentThresholds.globally", { value: percentText(globals[metric]) })}
              </span>
            )}
          </Entry>
        ))}
      </dl>
    </div>
  );
}

/** Returns the focus to the button that opened a form after it closes. */
function useFocusAfter(isOpen: boolean) {
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}

const none: Thresholds = { cpu: null, memory: null, disk: null };

type ThresholdsNow = {
  thresholds: Thresholds;
  scope: "agent" | "global";
  /** All notification settings. `undefined` while loading or unavailable. */
  all: AllSettings | undefined;
};

/** Thresholds from the notification settings or, until these are loaded, from the agent's response. */
export function useThresholds({ id, thresholds }: Agent): ThresholdsNow {
  const { data: all } = useSettingsInForceQuery();
  if (all === undefined) return { thresholds: thresholds ?? none, scope: thresholds?.scope ?? "global", all };
  const own = all.agents[String(id)];
  return { thresholds: (own ?? all.globalAgent).thresholds, scope: own === undefined ? "global" : "agent", all };
}
