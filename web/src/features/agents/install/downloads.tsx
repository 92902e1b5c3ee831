import type { AgentDownload } from "@sonde/proto/http/agents/downloads";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, Spinner } from "../../../ui/button.tsx";
import { useAgentDownloadsQuery, useBuildAgentMutation } from "../api.ts";
import type { Platform } from "./install.ts";

export function downloadsOf(answer: { downloads: AgentDownload[] } | undefined, system: Platform): AgentDownload[] {
  const prefixes = { linux: "linux-", macos: "darwin-", windows: "win-" };
  return answer?.downloads.filter(({ platform }) => platform.startsWith(prefixes[system])) ?? [];
}

export function Downloads({ downloads, canBuild }: { downloads: AgentDownload[]; canBuild: boolean }) {
  const missing = downloads.filter(({ status }) => status !== "ready");
  if (missing.length === 0) return null;
  return (
    <ul className="mb-4 flex flex-col gap-3">
      {missing.map((download) => (
        <li key={download.platform} className="rounded-md border border-line px-3 py-2.5">
          <Download download={download} canBuild={canBuild} />
        </li>
      ))}
    </ul>
  );
}

function Download({ download, canBuild }: { download: AgentDownload; canBuild: boolean }) {
  const { t } = useTranslation();
  const { platform, status, reason = "fault", tool = "" } = download;
  const name = t(`agentDownloads.platforms.${platform}`);
  if (status === "waiting" || status === "building") return <Progress name={name} download={download} />;
  if (!canBuild) return <p className="text-muted">{t("agentDownloads.elsewhere", { name, platform })}</p>;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      {status === "failed" ? (
        <p role="alert" className="min-w-0 flex-1 basis-64 text-down-ink">
          <span className="block font-medium">{t("agentDownloads.failed", { name })}</span>
          {/* Debian's package for xz has another name. */}
          {t(`agentDownloads.reasons.${reason}`, { tool, package: tool === "xz" ? "xz-utils" : tool })}
        </p>
      ) : (
        <p className="min-w-0 flex-1 basis-64 text-muted">{t("agentDownloads.absent", { name })}</p>
      )}
      <Prepare download={download} name={name} />
    </div>
  );
}

function Progress({ name, download }: { name: string; download: AgentDownload }) {
  const { status, step = "fetch", percent = 0 } = download;
  const { t } = useTranslation();
  const title = t("agentDownloads.preparing", { name });
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <Spinner />
        <p role="status" className="min-w-0 flex-1 basis-56 font-medium">
          {title}
        </p>
        <p className="tnum text-[13px] text-muted">
          {status === "waiting" ? t("agentDownloads.waiting") : `${t(`agentDownloads.steps.${step}`)} · ${percent}%`}
        </p>
      </div>
      <div
        role="progressbar"
        aria-label={title}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
    </>
  );
}

function Prepare({ download: { platform, status }, name }: { download: AgentDownload; name: string }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const isAgain = status === "failed";
  const [build, { isLoading, error }] = useBuildAgentMutation();
  if (!mayChange) return null;
  return (
    <>
      <Button
        size="sm"
        aria-label={t(isAgain ? "agentDownloads.retryLabel" : "agentDownloads.prepareLabel", { name })}
        saving={isLoading}
        savingLabel={t("agentDownloads.starting")}
        onClick={() => void build(platform)}
      >
        {t(isAgain ? "common.retry" : "agentDownloads.prepare")}
      </Button>
      {error !== undefined && (
        <Alert kind="error" className="w-full">
          {errorText(error, "prepareDownload")}
        </Alert>
      )}
    </>
  );
}

const pollMs = 1000;
const underWay = new Set(["waiting", "building"]);

/** Available downloads, refetched while one is being built. `failed` if the request failed. */
export function useDownloads() {
  const [isBusy, setIsBusy] = useState(false);
  const { data, isError } = useAgentDownloadsQuery(undefined, {
    pollingInterval: isBusy ? pollMs : 0,
    refetchOnMountOrArgChange: true,
  });
  const busyNow = data?.downloads.some(({ status }) => underWay.has(status)) ?? false;
  if (busyNow !== isBusy) setIsBusy(busyNow);
  return { data, failed: isError && data === undefined };
}
