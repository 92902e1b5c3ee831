import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { paths } from "../../../app/paths.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ChevronLeftIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useAgentsQuery } from "../api.ts";
import { Connection, type IssuedToken, newestAgents } from "./connection.tsx";
import { GuideSettings, type Settings } from "./guide-settings.tsx";
import { InstallCard } from "./install-card.tsx";
import { OpenTokens } from "./open-tokens.tsx";

export default function CreateScreen() {
  const { t } = useTranslation();
  const { data: config, isError } = useConfigQuery();
  const { data: before } = useAgentsQuery(newestAgents);
  const [settings, setSettings] = useState<Settings | null>(null);
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t("agentGuide.title")}
        description={t("agentGuide.text")}
        actions={
          <ButtonLink to={paths.agents}>
            <ChevronLeftIcon />
            {t("agentGuide.back")}
          </ButtonLink>
        }
      />
      <div className="flex flex-col gap-4">
        {config === undefined && !isError ? (
          <Skeleton className="h-72 w-full" />
        ) : (
          <GuideSettings
            server={config?.publicUrl ?? location.origin}
            isRepeated={issued !== null}
            onChange={setSettings}
            onToken={(answer, name) => {
              const newestId = Math.max(0, ...(before?.agents.map(({ id }) => id) ?? []));
              setIssued({ answer, name, newestId });
            }}
          />
        )}
        {issued !== null && settings !== null && (
          <InstallCard key={issued.answer.token} answer={issued.answer} settings={settings} />
        )}
        {issued !== null && (
          <Card title={t("agentGuide.state")}>
            <Connection key={issued.answer.token} issued={issued} />
          </Card>
        )}
        <OpenTokens />
      </div>
    </div>
  );
}
