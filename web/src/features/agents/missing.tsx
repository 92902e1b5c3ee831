import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ServerIcon } from "../../ui/icons.tsx";
import { EmptyState } from "../../ui/states.tsx";

/** An agent that does not exist. The screen has its own words for that: the API's name the id. */
export function MissingAgent() {
  const { t } = useTranslation();
  return (
    <Card>
      <EmptyState
        icon={<ServerIcon />}
        title={<span role="alert">{t("errors.agentMissing")}</span>}
        action={<ButtonLink to={paths.agents}>{t("agent.back")}</ButtonLink>}
      />
    </Card>
  );
}
