import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { type TokenAnswer, useAgentsQuery } from "../api.ts";
import { ButtonLink, Spinner } from "../../../ui/button.tsx";
import { CheckIcon, ServerIcon } from "../../../ui/icons.tsx";

/** A token that was made: its answer, the name it was asked for, and the newest agent before. A newer one used it. */
export type IssuedToken = { answer: TokenAnswer; name: string | null; newestId: number };

export const newestAgents = { page: 1, pageSize: 10, sort: "-createdAt" } as const;

/** How often they are asked for where no live event comes. */
const askEveryMs = 3000;

/** Waits for the agent that the token is for, and shows by itself when its first report is here. */
export function Connection({ issued }: { issued: IssuedToken }) {
  const { data } = useAgentsQuery(newestAgents, { pollingInterval: askEveryMs });
  const candidates = data?.agents
    .filter(({ id, name }) => id > issued.newestId && (issued.name === null || name === issued.name))
    .toSorted((left, right) => left.id - right.id);
  const connected = candidates?.find(({ status }) => status === "online");
  return <ConnectionView registered={candidates?.[0]?.name} connected={connected} />;
}

type ConnectionViewProps = {
  /** The name of the agent that used the token. */
  registered: string | undefined;
  /** Its first report is here. */
  connected: { id: number; name: string } | undefined;
};

/** How far an agent has come: waited for, registered, connected. */
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
