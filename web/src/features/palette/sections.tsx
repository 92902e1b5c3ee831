import type { agentsAnswer } from "@sonde/proto/http/agents/agents";
import type { monitorsAnswer } from "@sonde/proto/http/monitors/monitors";
import type { usersAnswer } from "@sonde/proto/http/users";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText, type Fallback } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useSettled } from "../../lib/hooks.ts";
import { AgentBadge, shownState, StatusBadge } from "../../ui/badge.tsx";
import { PulseIcon, ServerIcon, UserIcon } from "../../ui/icons.tsx";
import { pageActions, type PaletteCommand, useActions, useLinks, usePages } from "./commands.tsx";

type Section = { id: string; title: string; commands: PaletteCommand[] };

const waitMs = 150;
const longestSearch = 200;
const monitorsShown = 8;
const othersShown = 5;

/** What a search finds: pages and actions at once; monitors, agents and users as the server answers. Without a text: the former. */
export function useSections(text: string) {
  const { t } = useTranslation();
  const isSearch = useSession().status === "authenticated" && text !== "";
  const [ofPage] = useState(pageActions);
  const asked = useSettled(text, waitMs).slice(0, longestSearch);
  const found = useFound(isSearch ? asked : "");
  const sections: Section[] = [
    ...found.sections,
    { id: "pages", title: t("palette.pages"), commands: usePages().filter(matches) },
    { id: "here", title: t("palette.here"), commands: ofPage.filter(matches) },
    { id: "actions", title: t("palette.actions"), commands: useActions().filter(matches) },
  ];
  /** Every word of the search is in the command. */
  function matches({ id, label }: PaletteCommand): boolean {
    const known = `${label} ${id}`.toLowerCase();
    const words = text.toLowerCase().split(/\s+/);
    return words.every((word) => known.includes(word));
  }
  return {
    sections: sections.filter(({ commands }) => commands.length > 0),
    isSearching: isSearch && (asked !== text.slice(0, longestSearch) || found.isFetching),
    fault: found.fault,
  };
}

/** What the server finds for a text: monitors, agents and, for administrators, users. An empty text asks nothing. */
function useFound(asked: string) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const link = useLinks();
  const skip = asked === "";
  const monitors = useFindMonitorsQuery(asked, { skip });
  const agents = useFindAgentsQuery(asked, { skip });
  const users = useFindUsersQuery(asked, { skip: skip || !isAdmin });
  if (skip) return { sections: [], isFetching: false, fault: null };
  const faults: [unknown, Fallback][] = [
    [monitors.error, "fetchMonitors"],
    [agents.error, "fetchAgents"],
    [users.error, "fetchUsers"],
  ];
  const fault = faults.find(([error]) => error !== undefined);
  const aside = (text: string, badge: ReactNode) => (
    <>
      <span className="min-w-0 flex-1 truncate font-mono text-[12px] text-muted max-sm:hidden">{text}</span>
      {badge}
    </>
  );
  const sections: Section[] = [
    {
      id: "monitors",
      title: t("palette.monitors"),
      commands: (monitors.currentData?.monitors ?? []).map(({ id, name, target, status, stale }) => ({
        ...link(`monitor ${id}`, <PulseIcon />, name, paths.monitor(id)),
        note: aside(target, <StatusBadge state={shownState(status, stale)} />),
      })),
    },
    {
      id: "agents",
      title: t("palette.agents"),
      commands: (agents.currentData?.agents ?? []).map(({ id, name, hostname, status }) => ({
        ...link(`agent ${id}`, <ServerIcon />, name, paths.agent(id)),
        note: aside(hostname, <AgentBadge status={status} />),
      })),
    },
    {
      id: "users",
      title: t("palette.users"),
      commands: (users.currentData?.users ?? []).map(({ id, username, role }) => ({
        ...link(`user ${id}`, <UserIcon />, username, paths.user(id)),
        note: <span className="text-[13px] text-muted">{t(`users.roles.${role}`)}</span>,
      })),
    },
  ];
  return {
    sections,
    isFetching: monitors.isFetching || agents.isFetching || users.isFetching,
    fault: fault === undefined ? null : errorText(...fault),
  };
}

const page = (pageSize: number, sort: string, search: string) => ({ page: 1, pageSize, sort, search });

const paletteApi = api.injectEndpoints({
  endpoints: (build) => ({
    findMonitors: build.query<AnswerOf<typeof monitorsAnswer>, string>({
      query: (search) => ({ url: "/monitors", params: page(monitorsShown, "name", search) }),
      providesTags: ["MonitorList"],
    }),
    findAgents: build.query<AnswerOf<typeof agentsAnswer>, string>({
      query: (search) => ({ url: "/agents", params: page(othersShown, "name", search) }),
      providesTags: ["AgentList"],
    }),
    findUsers: build.query<AnswerOf<typeof usersAnswer>, string>({
      query: (search) => ({ url: "/users", params: page(othersShown, "username", search) }),
      providesTags: ["UserList"],
    }),
  }),
});

const { useFindMonitorsQuery, useFindAgentsQuery, useFindUsersQuery } = paletteApi;
