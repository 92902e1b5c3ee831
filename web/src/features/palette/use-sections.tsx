import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useSettled } from "../../lib/settled.ts";
import { PulseIcon } from "../../ui/icons.tsx";
import { shownState, StatusBadge } from "../../ui/status-badge.tsx";
import { useFindMonitorsQuery } from "./api.ts";
import { type Command, isMatch, useActions, usePages } from "./commands.tsx";

export type Section = { id: string; title: string; commands: Command[] };
export type Found = { sections: Section[]; isSearching: boolean; fault: string | null };

const waitMs = 150;
const longestSearch = 200;

/** What a search finds: pages and actions at once, monitors as the server answers. Without a text: pages and actions. */
export function useSections(text: string): Found {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const loggedIn = useSession().status === "authenticated";
  const pages = usePages().filter((command) => isMatch(command, text));
  const actions = useActions().filter((command) => isMatch(command, text));
  const asked = useSettled(text, waitMs).slice(0, longestSearch);
  const skip = asked === "" || !loggedIn;
  const { currentData, error, isFetching } = useFindMonitorsQuery(asked, { skip });
  const monitors = (skip || text === "" ? [] : (currentData?.monitors ?? [])).map((monitor) => ({
    id: `monitor ${monitor.id}`,
    icon: <PulseIcon />,
    label: monitor.name,
    note: (
      <>
        <span className="min-w-0 flex-1 truncate font-mono text-[12px] text-muted max-sm:hidden">{monitor.target}</span>
        <StatusBadge state={shownState(monitor.status, monitor.stale)} />
      </>
    ),
    run: () => void navigate(paths.monitor(monitor.id)),
  }));
  const sections = [
    { id: "monitors", title: t("palette.monitors"), commands: monitors },
    { id: "pages", title: t("palette.pages"), commands: pages },
    { id: "actions", title: t("palette.actions"), commands: actions },
  ];
  return {
    sections: sections.filter(({ commands }) => commands.length > 0),
    isSearching: loggedIn && text !== "" && (asked !== text.slice(0, longestSearch) || isFetching),
    fault: skip || error === undefined ? null : errorText(error, "fetchMonitors"),
  };
}
