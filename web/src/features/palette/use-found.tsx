import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { AgentBadge, shownState, StatusBadge } from "../../ui/badge.tsx";
import { PulseIcon, ServerIcon, UserIcon } from "../../ui/icons.tsx";
import { useFindAgentsQuery, useFindMonitorsQuery, useFindUsersQuery } from "./api.ts";
import type { PaletteCommand } from "./commands.tsx";

/** What the server finds for a text: monitors, agents and, for administrators, users. An empty text asks nothing. */
export function useFound(asked: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isAdmin } = useSession();
  const skip = asked === "";
  const monitors = useFindMonitorsQuery(asked, { skip });
  const agents = useFindAgentsQuery(asked, { skip });
  const users = useFindUsersQuery(asked, { skip: skip || !isAdmin });
  const faults = skip
    ? []
    : ([
        [monitors.error, "fetchMonitors"],
        [agents.error, "fetchAgents"],
        [users.error, "fetchUsers"],
      ] as const);
  const fault = faults.find(([error]) => error !== undefined);
  const go = (to: string) => () => void navigate(to);
  const sections = [
    {
      id: "monitors",
      title: t("palette.monitors"),
      commands: (monitors.currentData?.monitors ?? []).map((monitor): PaletteCommand => ({
        id: `monitor ${monitor.id}`,
        icon: <PulseIcon />,
        label: monitor.name,
        note: (
          <>
            <Aside text={monitor.target} />
            <StatusBadge state={shownState(monitor.status, monitor.stale)} />
          </>
        ),
        run: go(paths.monitor(monitor.id)),
      })),
    },
    {
      id: "agents",
      title: t("palette.agents"),
      commands: (agents.currentData?.agents ?? []).map(({ id, name, hostname, status }): PaletteCommand => ({
        id: `agent ${id}`,
        icon: <ServerIcon />,
        label: name,
        note: (
          <>
            <Aside text={hostname} />
            <AgentBadge status={status} />
          </>
        ),
        run: go(paths.agent(id)),
      })),
    },
    {
      id: "users",
      title: t("palette.users"),
      commands: (users.currentData?.users ?? []).map(({ id, username, role }): PaletteCommand => ({
        id: `user ${id}`,
        icon: <UserIcon />,
        label: username,
        note: <span className="text-[13px] text-muted">{t(`users.roles.${role}`)}</span>,
        run: go(paths.user(id)),
      })),
    },
  ];
  return {
    sections: skip ? [] : sections,
    isFetching: monitors.isFetching || agents.isFetching || users.isFetching,
    fault: fault === undefined ? null : errorText(fault[0], fault[1]),
  };
}

function Aside({ text }: { text: string }) {
  return <span className="min-w-0 flex-1 truncate font-mono text-[12px] text-muted max-sm:hidden">{text}</span>;
}
