import { isOlderVersion } from "@sonde/proto/http/versions";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../app/config.ts";
import { Badge } from "../../ui/badge.tsx";

/** Returns a notice if the agent is older than this installation. `null` also if a version is unknown. */
export function useOutdated(version: string): string | null {
  const { t } = useTranslation();
  const { data } = useConfigQuery();
  if (data === undefined || !isOlderVersion(version, data.version)) return null;
  return t("agents.olderThan", { version, installation: data.version });
}

export function OutdatedBadge({ version }: { version: string }) {
  const { t } = useTranslation();
  const sentence = useOutdated(version);
  if (sentence === null) return null;
  return (
    <span title={sentence} className="inline-flex shrink-0">
      <Badge tone="warn" className="whitespace-nowrap">
        <span aria-hidden="true">{t("agents.outdated")}</span>
        <span className="sr-only">{sentence}</span>
      </Badge>
    </span>
  );
}
