import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Spinner } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { CheckIcon } from "../../../ui/icons.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import type { HeartbeatMonitor } from "./api.ts";
import { type RecipeName, recipeNames, recipeOf } from "./recipes.ts";

export function GuideCard({ monitor, hasPings }: { monitor: HeartbeatMonitor; hasPings: boolean }) {
  const { t } = useTranslation();
  return (
    <Card title={t("heartbeat.guide.title")} gap="gap-5">
      <div role="status" className="flex items-center gap-4">
        {hasPings ? (
          <span className="inline-flex size-9 shrink-0 items-center justify-center rounded-full border border-up/40 bg-up-soft text-up-ink">
            <CheckIcon className="size-5" />
          </span>
        ) : (
          <span className="inline-flex size-9 shrink-0 items-center justify-center">
            <Spinner className="size-5" />
          </span>
        )}
        <div className="min-w-0">
          <p className="font-semibold">{t(hasPings ? "heartbeat.guide.heard" : "heartbeat.guide.waiting")}</p>
          <p className="text-muted">{t(hasPings ? "heartbeat.guide.heardText" : "heartbeat.guide.waitingText")}</p>
        </div>
      </div>
      <Recipes monitor={monitor} />
    </Card>
  );
}

export function Recipes({ monitor }: { monitor: HeartbeatMonitor }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<RecipeName>("crontab");
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="text-muted">{t("heartbeat.guide.text")}</p>
      <Tabs
        label={t("heartbeat.guide.tabs")}
        value={shown}
        onChange={setShown}
        tabs={recipeNames.map((name) => {
          const lines = recipeOf(name, monitor.pingUrl, monitor);
          const title = t(`heartbeat.guide.recipes.${name}`);
          return {
            value: name,
            label: title,
            content: <Snippet title={title} note={t(`heartbeat.guide.notes.${name}`)} text={lines} />,
          };
        })}
      />
    </div>
  );
}

export function Snippet({ title, note, text }: { title: string; note: string; text: string }) {
  return (
    <div>
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="min-w-48 flex-1 text-[13px] text-muted">{note}</p>
        <CopyButton text={`${text}\n`} about={title} />
      </div>
      <pre
        role="region"
        aria-label={title}
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] leading-relaxed"
      >
        {text}
      </pre>
    </div>
  );
}
