import { installLine } from "@sonde/proto/http/agents/install-script";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { useNow } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ButtonLink, Spinner } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { cx } from "../../../ui/cx.ts";
import { CheckIcon, ChevronRightIcon, ServerIcon } from "../../../ui/icons.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { Time } from "../../../ui/time.tsx";
import { type TokenAnswer, useAgentsQuery } from "../api.ts";
import { Downloads, downloadsOf, useDownloads } from "./downloads.tsx";
import { fillIn, type InstallWishes, type Platform, platforms, splitSteps } from "./install.ts";

type InstallCardProps = {
  /** By default a step of the guide. */
  title?: string;
  answer: TokenAnswer;
  settings: InstallWishes;
};

/** Shows the token, which is visible only once, and the commands for each system. */
export function InstallCard({ title, answer, settings }: InstallCardProps) {
  const { t } = useTranslation();
  const [platform, setPlatform] = useState<Platform>("linux");
  const { token, expiresAt, install, oneLine } = answer;
  const { server: origin, intervalSeconds } = settings;
  const line = (withoutService: boolean) =>
    installLine({ origin, token, intervalSeconds, scriptSha256: oneLine.scriptSha256, withoutService });
  const { data, failed } = useDownloads();
  /** One ready processor type is enough. Downloads hosted elsewhere count as ready, since their state is unknown. */
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
                {each === "linux" ? (
                  <>
                    <Commands title={t("agentGuide.line")} text={line(false)} ready={isReady(each)} isLine>
                      {t("agentGuide.lineText")}
                    </Commands>
                    {/* For installations without a service, or step by step. */}
                    <details className="group mt-4 rounded-md border border-line">
                      <summary className="flex min-h-10 list-none items-center gap-2 rounded-md px-3 py-1.5 font-medium [&::-webkit-details-marker]:hidden">
                        <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
                        {t("agentGuide.otherWays")}
                      </summary>
                      <div className="flex flex-col gap-5 border-t border-line p-3">
                        <Commands title={t("agentGuide.noService")} text={line(true)} ready={isReady(each)} isLine>
                          {t("agentGuide.noServiceText")}
                        </Commands>
                        <Steps text={fillIn(install.linux, settings)} ready={isReady(each)} />
                        <Commands
                          title={t("agentGuide.service")}
                          text={fillIn(install.systemd, settings)}
                          ready={isReady(each)}
                        >
                          {t("agentGuide.serviceText")}
                        </Commands>
                      </div>
                    </details>
                  </>
                ) : (
                  <Steps text={fillIn(install[each], settings)} ready={isReady(each)} />
                )}
              </>
            ),
          }))}
        />
      </div>
    </Card>
  );
}

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

/** Commands to copy in a scrollable box. `isLine` shows a single line in full. */
function Commands(props: CommandsProps & { title: string; isLine?: boolean; children?: ReactNode }) {
  const { title, text, ready, isLine = false, children } = props;
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
        className={cx(
          "max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] leading-relaxed",
          isLine && "wrap-anywhere whitespace-pre-wrap",
        )}
      >
        {text}
      </pre>
      {children !== undefined && <p className="mt-1.5 text-[13px] text-faint">{children}</p>}
    </div>
  );
}

/** A created token, the requested name, and the newest agent before it. An agent with a higher id has used it. */
export type IssuedToken = { answer: TokenAnswer; name: string | null; newestId: number };

export const newestAgents = { page: 1, pageSize: 10, sort: "-createdAt" } as const;

const pollMs = 3000;

/** Waits for the agent that uses the token, and for its first report. */
export function Connection({ issued }: { issued: IssuedToken }) {
  const { data } = useAgentsQuery(newestAgents, { pollingInterval: pollMs });
  const candidates = data?.agents
    .filter(({ id, name }) => id > issued.newestId && (issued.name === null || name === issued.name))
    .toSorted((left, right) => left.id - right.id);
  const connected = candidates?.find(({ status }) => status === "online");
  return <ConnectionView registered={candidates?.[0]?.name} connected={connected} />;
}

type ConnectionViewProps = {
  registered: string | undefined;
  connected: { id: number; name: string } | undefined;
};

export function ConnectionView({ registered, connected }: ConnectionViewProps) {
  const { t } = useTranslation();
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-3">
      {connected !== undefined ? (
        <>
          <span className="inline-flex size-9 items-center justify-center rounded-full border border-up/40 bg-up-soft text-up-ink">
            <CheckIcon className="size-5" />
          </span>
          <div className="min-w-0 flex-1">
            <p className="font-semibold">{t("agentGuide.connected", { name: connected.name })}</p>
            <p className="text-muted">{t("agentGuide.connectedText")}</p>
          </div>
          <ButtonLink to={paths.agent(connected.id)} variant="primary">
            <ServerIcon />
            {t("agentGuide.open", { name: connected.name })}
          </ButtonLink>
        </>
      ) : (
        <>
          <Spinner />
          <div className="min-w-0 flex-1">
            <p className="font-medium">
              {registered === undefined ? t("agentGuide.waiting") : t("agentGuide.registered", { name: registered })}
            </p>
            <p className="text-muted">{t("agentGuide.waitingText")}</p>
          </div>
        </>
      )}
    </div>
  );
}
