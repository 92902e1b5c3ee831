import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CheckIcon, ServerIcon } from "../../ui/icons.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { useAgentsQuery } from "./api.ts";
import { type Issued, newest } from "./create-screen.tsx";

const askEveryMs = 3000;

/** Waits for the agent that the token is for, and turns by itself when its first report is here. */
export function Connection({ issued }: { issued: Issued }) {
  const { t } = useTranslation();
  // Live events move this list too; asking is for where they do not come.
  const { data } = useAgentsQuery(newest, { pollingInterval: askEveryMs });
  const came = data?.agents
    .filter(({ id, name }) => id > issued.newestId && (issued.name === null || name === issued.name))
    .toSorted((left, right) => left.id - right.id);
  const connected = came?.find(({ status }) => status === "online");
  const agent = connected ?? came?.[0];
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
              {agent === undefined ? t("agentGuide.waiting") : t("agentGuide.registered", { name: agent.name })}
            </p>
            <p className="text-muted">{t("agentGuide.waitingText")}</p>
          </div>
        </>
      )}
    </div>
  );
}
