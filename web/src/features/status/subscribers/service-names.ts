import { readTarget } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { useStatusConfigQuery } from "../page/api.ts";
import { useTargets } from "../page/target-names.ts";

/** What to call a service that a subscriber chose, `monitor:12`: as the page does, else by its own name, else by its id. */
export function useServiceNames(isNeeded: boolean): (service: string) => string {
  const { t } = useTranslation();
  const { data } = useStatusConfigQuery();
  const monitors = useTargets("monitors", !isNeeded);
  const agents = useTargets("agents", !isNeeded);
  return (service) => {
    const { type, id } = readTarget(service);
    const given = data?.config.names.find((one) => one.type === type && one.id === id);
    const own = (type === "agent" ? agents : monitors)?.get(id);
    return given?.name ?? own?.name ?? t(type === "agent" ? "subscribers.agent" : "subscribers.monitor", { id });
  };
}
