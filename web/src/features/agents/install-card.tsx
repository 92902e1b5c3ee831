import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNow } from "../../lib/clock.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ChevronRightIcon } from "../../ui/icons.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import type { TokenAnswer } from "./api.ts";
import { Downloads, downloadsOf } from "./downloads.tsx";
import { useDownloads } from "./downloads-api.ts";
import type { Settings } from "./guide-settings.tsx";
import { fillIn, type Platform, platforms, splitSteps } from "./install.ts";

type InstallCardProps = {
  /** A step of the guide unless it says otherwise. */
  title?: string;
  answer: TokenAnswer;
  settings: Settings;
};

/** The token, this once, and the two steps for each system. */
export function InstallCard({ title, answer, settings }: InstallCardProps) {
  const { t } = useTranslation();
  const [platform, setPlatform] = useState<Platform>("linux");
  const { token, expiresAt, install } = answer;
  const { data, failed } = useDownloads();
  /** One processor's download is enough; of downloads that are not prepared here nothing is known, so nothing waits. */
  const isReady = (system: Platform) =>
    failed ||
    (data !== undefined && !data.canBuild) ||
    downloadsOf(data, system).some(({ status }) => status === "ready");
  const isExpired = Date.parse(expiresAt) <= useNow();
  return (
    <Card title={title ?? t("agentGuide.install")}>
      <div className="flex flex-col gap-4">
        {isExpired ? (
          <Alert kind="error">{t("agentGuide.expired")}</Alert>
        ) : (
          <Alert kind="info">{t("agentGuide.once")}</Alert>
        )}
        <div>
          <p className="flex flex-wrap justify-between gap-x-4 text-[13px] text-muted">
            <span className="font-medium text-ink">{t("agentGuide.token")}</span>
            <span>
              {t("agentGuide.expires")} <Time at={expiresAt} />
            </span>
          </p>
          <div className="mt-1.5 flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
            <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{token}</code>
            <CopyButton text={token} label={t("agentGuide.copyToken")} />
          </div>
        </div>
        <Tabs
          label={t("agentGuide.platform")}
          value={platform}
          onChange={setPlatform}
          tabs={platforms.map((each) => ({
            value: each,
            label: t(`agentGuide.platforms.${each}`),
            content: (
              <>
                <Downloads downloads={downloadsOf(data, each)} canBuild={data?.canBuild ?? false} />
                <Steps text={fillIn(install[each], settings)} ready={isReady(each)} />
              </>
            ),
          }))}
        />
        {platform === "linux" && <Service text={fillIn(install.systemd, settings)} ready={isReady("linux")} />}
      </div>
    </Card>
  );
}

/** `ready`: what the commands download is there. */
type CommandsProps = { text: string; ready: boolean };

function Steps({ text, ready }: CommandsProps) {
  const { t } = useTranslation();
  const { download, run } = splitSteps(text);
  return (
    <ol className="flex flex-col gap-4">
      {download !== "" && (
        <li>
          <Commands title={t("agentGuide.download")} text={download} ready={ready} />
        </li>
      )}
      <li>
        <Commands title={t("agentGuide.run")} text={run} ready={ready} />
      </li>
    </ol>
  );
}

function Service({ text, ready }: CommandsProps) {
  const { t } = useTranslation();
  return (
    <details className="group rounded-md border border-line">
      <summary className="flex min-h-10 list-none items-center gap-2 rounded-md px-3 py-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
        {t("agentGuide.service")}
      </summary>
      <div className="border-t border-line p-3">
        <Commands title={t("agentGuide.serviceText")} text={text} ready={ready} />
      </div>
    </details>
  );
}

/** Commands to copy, which scroll in their own frame. */
function Commands({ title, text, ready }: CommandsProps & { title: string }) {
  const { t } = useTranslation();
  return (
    <div>
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="min-w-48 flex-1 text-[13px] font-medium">{title}</h3>
        <CopyButton text={`${text}\n`} label={t("agentGuide.copyCommands")} disabled={!ready} />
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
