import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { AgentBadge, shownState, StatusBadge } from "../../ui/badge.tsx";
import { PulseIcon, ServerIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { type TargetSummary, useTargetQuery } from "./api.ts";
import { Card } from "../../ui/card.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";

export function TargetIcon({ type, className }: { type: TargetRef["type"]; className?: string }) {
  return type === "agent" ? <ServerIcon className={className} /> : <PulseIcon className={className} />;
}

export function TargetState({ target }: { target: TargetSummary }) {
  return target.type === "agent" ? (
    <AgentBadge status={target.status} />
  ) : (
    <StatusBadge state={shownState(target)} wording="detail" />
  );
}

export function useTargetName(target: TargetRef): { name: string | undefined; target: TargetSummary | undefined } {
  const { t } = useTranslation();
  const { data, error } = useTargetQuery(target);
  if (data !== undefined) return { name: data.name, target: data };
  if (error === undefined) return { name: undefined, target: undefined };
  const kind = t(`alerting.${target.type}`, { id: target.id });
  return { name: statusOf(error) === 404 ? t("alerting.gone", { name: kind }) : kind, target: undefined };
}

export function TargetLine({ target }: { target: TargetRef }) {
  const { name, target: known } = useTargetName(target);
  if (name === undefined) return <Skeleton className="h-6 w-48" />;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <TargetIcon type={target.type} className="size-4 text-muted" />
      {known === undefined ? (
        <span className="text-muted">{name}</span>
      ) : (
        <>
          <Link to={paths[target.type](target.id)} className="inline-flex min-h-6 items-center hover:underline">
            {name}
          </Link>
          <TargetState target={known} />
        </>
      )}
    </span>
  );
}

export function NoteCard({ note, title }: { note: string | undefined; title?: string }) {
  const { t } = useTranslation();
  if (note === undefined || note.trim() === "") return null;
  return (
    <Card title={title ?? t("alerting.note")}>
      <Markdown text={note} />
    </Card>
  );
}
