import { ownAddress } from "../../lib/base-path.ts";
import type { ConfigSource } from "@sonde/proto/http/config/apply";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useConfigQuery } from "../../app/config.ts";
import { useSession } from "../../app/hooks.ts";
import { useSourcesQuery } from "../../entities/managed/api.ts";
import { documentation, paths } from "../../app/paths.ts";
import { Loaded, Notice } from "../../app/screen.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Entry } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { CheckIcon, CodeIcon, WarnIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { RemoveDialog, useCounts } from "./remove-dialog.tsx";

/** Interval in milliseconds. Pipelines and mounted folders apply changes while the page is open. */
const pollMs = 30_000;
const refreshed = { pollingInterval: pollMs, refetchOnMountOrArgChange: true };

export default function SourcesScreen() {
  const { t } = useTranslation();
  const query = useSourcesQuery(undefined, refreshed);
  const [notice, setNotice] = useState<string | null>(null);
  return (
    <div className="max-w-4xl">
      <PageHeader title={t("sources.title")} description={t("sources.text")} />
      <Loaded query={query} placeholder={<Skeleton className="h-64 w-full" />}>
        {({ sources }) => (
          <div className="flex flex-col gap-4">
            <Notice text={notice} />
            {sources.length === 0 && <Begin />}
            {sources.map((source) => (
              <SourceCard key={source.name} source={source} onRemoved={setNotice} />
            ))}
          </div>
        )}
      </Loaded>
    </div>
  );
}

function SourceCard({ source, onRemoved }: { source: ConfigSource; onRemoved: (notice: string) => void }) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const counts = useCounts(source);
  const [removal, setRemoval] = useState<"keep" | "remove" | null>(null);
  const { name, generation, revision, appliedAt, appliedBy, outcome, problem, drift } = source;
  // A mounted folder without a valid state so far owns nothing.
  const isNew = generation === 0;
  const isApplied = outcome === "applied";
  const isHealthy = isApplied && problem === undefined;
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-mono break-all">{name}</span>
          <Badge tone={isHealthy ? "up" : "warn"} icon={isHealthy ? CheckIcon : WarnIcon}>
            {t(isNew ? "sources.never" : isHealthy ? "sources.ok" : "sources.failed")}
          </Badge>
        </span>
      }
      actions={
        isAdmin &&
        !isNew && (
          <span className="flex flex-wrap gap-2">
            <Button size="sm" aria-label={`${t("sources.releaseAll")}: ${name}`} onClick={() => setRemoval("keep")}>
              {t("sources.releaseAll")}
            </Button>
            <Button size="sm" aria-label={`${t("sources.removeAll")}: ${name}`} onClick={() => setRemoval("remove")}>
              {t("sources.removeAll")}
            </Button>
          </span>
        )
      }
      gap="gap-4"
    >
      {problem !== undefined && (
        <Alert kind="error">
          <p className="font-medium">{t("sources.problem")}</p>
          <p className="break-words whitespace-pre-line">{problem}</p>
        </Alert>
      )}
      {!isApplied && !isNew && (
        <Alert kind="info">
          <p className="break-words">{outcome}</p>
        </Alert>
      )}
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-3">
        <Entry name={t("sources.applied")}>
          {isNew ? (
            "–"
          ) : (
            <>
              <Time at={appliedAt} relative /> · {appliedBy}
            </>
          )}
        </Entry>
        <Entry name={t("sources.generation")}>{generation}</Entry>
        <Entry name={t("sources.revision")}>
          {revision === undefined ? "–" : <span className="font-mono text-[13px] break-all">{revision}</span>}
        </Entry>
        <Entry name={t("sources.objects")} wide>
          {counts ?? t(isNew ? "common.none" : "sources.nothing")}
        </Entry>
      </dl>
      {drift.length > 0 && <Drift paths={drift} />}
      <RemoveDialog source={source} mode={removal} onClose={() => setRemoval(null)} onRemoved={onRemoved} />
    </Card>
  );
}

function Drift({ paths: taken }: { paths: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-1.5 border-t border-line pt-4">
      <p className="text-[13px] font-medium text-warn-ink">{t("sources.drift")}</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {taken.map((path) => (
          <li key={path} className="min-w-0">
            <Link
              to={addressOf(path)}
              className="inline-flex min-h-6 items-center font-mono text-[13px] break-all text-accent-strong hover:underline"
            >
              {path}
            </Link>
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-faint">{t("sources.driftHint")}</p>
    </div>
  );
}

function Begin() {
  const { t, i18n } = useTranslation();
  const { data: config } = useConfigQuery();
  const address = config?.publicUrl ?? ownAddress;
  const commands = [
    `curl -fsSLO ${address}/downloads/sonde.mjs`,
    `node sonde.mjs login ${address}`,
    "node sonde.mjs init sonde.yaml",
    "node sonde.mjs diff sonde.yaml",
    "node sonde.mjs apply sonde.yaml",
  ].join("\n");
  return (
    <Card>
      <EmptyState icon={<CodeIcon />} title={t("sources.empty.title")}>
        {t("sources.empty.text")}
      </EmptyState>
      <div className="mx-auto flex max-w-2xl flex-col gap-2">
        <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-1">
          <p className="min-w-0 flex-1 basis-64 text-muted">{t("sources.empty.begin")}</p>
          <CopyButton text={commands} label={t("sources.empty.copy")} />
        </div>
        <pre
          tabIndex={0}
          aria-label={t("sources.empty.begin")}
          className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px]"
        >
          {commands}
        </pre>
        <p className="text-[13px] text-muted">
          <Link to={paths.profile} className="text-accent-strong underline">
            {t("sources.empty.key")}
          </Link>{" "}
          ·{" "}
          <a href={documentation(i18n.language, "as-code")} className="text-accent-strong underline">
            {t("sources.empty.docs")}
          </a>
        </p>
      </div>
    </Card>
  );
}

const sections: Record<string, string> = {
  channels: paths.notifications,
  schedules: paths.onCall,
  templates: paths.notificationTemplates,
  settings: paths.notificationSettings,
  maintenance: paths.maintenance,
  page: paths.statusConfig,
};

/** Returns the page for a path in a document, such as `monitors.shop`. A monitor is searched by its key. */
function addressOf(path: string): string {
  const [section = "", ...key] = path.split(".");
  if (path.endsWith(".notify")) return paths.notificationSettings;
  return sections[section] ?? `${paths.monitors}?search=${encodeURIComponent(key.join("."))}`;
}
