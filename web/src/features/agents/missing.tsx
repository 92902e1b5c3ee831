import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { Missing } from "../../app/screen.tsx";
import { ServerIcon } from "../../ui/icons.tsx";

/** An agent that does not exist. The screen has its own words for that: the API's name the id. */
export function MissingAgent() {
  const { t } = useTranslation();
  return (
    <Missing icon={<ServerIcon />} title={t("errors.agentMissing")} back={t("agent.back")} backTo={paths.agents} />
  );
}
