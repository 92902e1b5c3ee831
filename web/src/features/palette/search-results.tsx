import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText, type Fallback } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { AgentBadge, IncidentBadge, shownState, StatusBadge } from "../../ui/badge.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { targetText } from "../../ui/health/schedule.ts";
import { BellIcon, EditIcon, PageIcon, PulseIcon, ServerIcon, TagIcon, UserIcon, WarnIcon } from "../../ui/icons.tsx";
import {
  useFindAgentsQuery,
  useFindChannelsQuery,
  useFindIncidentsQuery,
  useFindMonitorsQuery,
  useFindTagsQuery,
  useFindTemplatesQuery,
  useFindUsersQuery,
} from "./api.ts";
import { type Section, useLinks } from "./commands.tsx";
import { useTargetActions } from "./target-actions.tsx";

/** Searches the server and adds the actions of each result. Sends nothing for an empty text. */
export function useSearchResults(search: string) {
  const { t, i18n } = useTranslation();
  const { isAdmin, mayChange } = useSession();
  const link = useLinks();
  const targetActions = useTargetActions();
  const skip = search === "";
  const monitors = useFindMonitorsQuery(search, { skip });
  const agents = useFindAgentsQuery(search, { skip });
  const incidents = useFindIncidentsQuery(search, { skip });
  const tags = useFindTagsQuery(search, { skip });
  const channels = useFindChannelsQuery(undefined, { skip });
  const templates = useFindTemplatesQuery(undefined, { skip });
  const users = useFindUsersQuery(search, { skip: skip || !isAdmin });
  if (skip) return { sections: [], isFetching: false, failure: null };
  const failures: [unknown, Fallback][] = [
    [monitors.error, "fetchMonitors"],
    [agents.error, "fetchAgents"],
    [incidents.error, "fetchData"],
    [users.error, "fetchUsers"],
  ];
  const failure = failures.find(([error]) => error !== undefined);
  const aside = (text: ReactNode, badge: ReactNode) => (
    <>
      <span className="min-w-0 flex-1 truncate font-mono text-[12px] text-muted max-sm:hidden">{text}</span>
      {badge}
    </>
  );
  /** These lists are complete, so they are searched here. */
  const named = <Item extends { name: string }>(items: readonly Item[] | undefined) =>
    (items ?? []).filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())).slice(0, maxNamed);
  const edit = (id: string, to: string) => (mayChange ? [link(`edit ${id}`, <EditIcon />, t("common.edit"), to)] : []);
  const sections: Section[] = [
    {
      id: "monitors",
      title: t("palette.monitors"),
      commands: (monitors.currentData?.monitors ?? []).map((monitor) => {
        const { id, name, target } = monitor;
        return {
          ...link(`monitor ${id}`, <PulseIcon />, name, paths.monitor(id)),
          note: aside(targetText(target, t, i18n.language), <StatusBadge state={shownState(monitor)} />),
          actions: [...targetActions.ofMonitor(monitor), ...edit(`monitor ${id}`, paths.monitorEdit(id))],
        };
      }),
    },
    {
      id: "agents",
      title: t("palette.agents"),
      commands: (agents.currentData?.agents ?? []).map(({ id, name, hostname, status }) => ({
        ...link(`agent ${id}`, <ServerIcon />, name, paths.agent(id)),
        note: aside(hostname, <AgentBadge status={status} />),
        actions: [...targetActions.silence({ type: "agent", id }, name), ...edit(`agent ${id}`, paths.agentEdit(id))],
      })),
    },
    {
      id: "incidents",
      title: t("palette.incidents"),
      commands: (incidents.currentData?.incidents ?? []).map((incident) => ({
        ...link(`incident ${incident.id}`, <WarnIcon />, incident.target.name, paths.incident(incident.id)),
        note: aside(<Reason text={incident.cause} />, <IncidentBadge incident={incident} />),
        actions: targetActions.ofIncident(incident),
      })),
    },
    {
      id: "tags",
      title: t("palette.tags"),
      commands: (tags.currentData?.tags ?? []).slice(0, maxNamed).map(({ name }) => ({
        ...link(`tag ${name}`, <TagIcon />, name, `${paths.monitors}?tag=${encodeURIComponent(name)}`),
        actions: targetActions.silence({ type: "tag", name }, name),
      })),
    },
    {
      id: "channels",
      title: t("palette.channels"),
      commands: named(channels.data?.channels).map(({ id, name }) => ({
        ...link(`channel ${id}`, <BellIcon />, name, mayChange ? paths.channelEdit(id) : paths.notifications),
      })),
    },
    {
      id: "templates",
      title: t("palette.templates"),
      commands: named(templates.data?.templates).map(({ id, name }) =>
        link(`template ${id}`, <PageIcon />, name, paths.templateEdit(id)),
      ),
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
    isFetching: [monitors, agents, incidents, tags, users].some(({ isFetching }) => isFetching),
    failure: failure === undefined ? null : errorText(...failure),
  };
}

const maxNamed = 5;
