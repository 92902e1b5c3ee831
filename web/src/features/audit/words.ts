import type { AuditEntry, AuditTarget } from "@sonde/proto/http/audit";
import { useTranslation } from "react-i18next";
import { useAuditAgentsQuery, useAuditMonitorsQuery } from "./api.ts";
import { announcementPath, paths, windowPath } from "../../app/paths.ts";

const ofOneself: readonly AuditEntry["action"][] = ["login", "logout", "register"];

const ownSettings = /^(monitor|agent)-(\d+)$/;

const pages: Partial<Record<AuditTarget, (id: string) => string>> = {
  monitor: (id) => paths.monitor(Number(id)),
  agent: (id) => paths.agent(Number(id)),
  incident: paths.incident,
  channel: (id) => paths.channelEdit(Number(id)),
  settings: (id) => {
    const [, type, ownId] = ownSettings.exec(id) ?? [];
    return type === undefined
      ? paths.notificationSettings
      : paths.targetNotifications(type as "monitor" | "agent", Number(ownId));
  },
  template: (id) => paths.templateEdit(Number(id)),
  schedule: (id) => `${paths.onCall}?schedule=${id}`,
  drill: () => paths.drills,
  policy: (id) => paths.policyEdit(Number(id)),
  report: (id) => paths.report(Number(id)),
  slo: (id) => paths.slo(Number(id)),
  page: () => paths.statusConfig,
  subscriber: () => `${paths.statusConfig}?tab=subscribers`,
  announcement: (id) => announcementPath(Number(id)),
  maintenance: (id) => windowPath(Number(id)),
  silence: () => paths.silences,
  user: (id) => paths.user(Number(id)),
  invite: () => paths.users,
};

/** Current names of monitors and agents with changed notification settings: entries contain only their ids. */
function useNamesOfSettings(entries: readonly AuditEntry[]): ReadonlyMap<string, string> {
  const settings = entries.flatMap(({ target }) => (target.type === "settings" ? [ownSettings.exec(target.id)] : []));
  const idsOf = (type: string) => new Set(settings.flatMap((own) => (own?.[1] === type ? [Number(own[2])] : [])));
  const monitorIds = [...idsOf("monitor")].sort((one, other) => one - other).join(",");
  const monitors = useAuditMonitorsQuery(monitorIds, { skip: monitorIds === "" });
  const agents = useAuditAgentsQuery(undefined, { skip: idsOf("agent").size === 0 });
  return new Map([
    ...(monitors.data?.monitors ?? []).map(({ id, name }) => [`monitor-${id}`, name] as const),
    ...(agents.data?.agents ?? []).map(({ id, name }) => [`agent-${id}`, name] as const),
  ]);
}

export type SentenceOf = ReturnType<typeof useSentence>;

export function useSentence(entries: readonly AuditEntry[] = []) {
  const { t } = useTranslation();
  const names = useNamesOfSettings(entries);
  function nameOf({ type, id, name }: AuditEntry["target"]): string {
    if (type !== "settings") return name === "" && /^\d+$/.test(id) ? `#${id}` : name;
    // Services use English names for overrides.
    const [, ownType, ownId] = ownSettings.exec(id) ?? [];
    if (ownId !== undefined) return names.get(id) ?? t(`alerting.${ownType as "monitor" | "agent"}`, { id: ownId });
    return id === "global-monitor" || id === "global-agent" ? t(`audit.settings.${id}`) : name;
  }
  return ({ action, target }: Pick<AuditEntry, "action" | "target">) => {
    const { type, id } = target;
    const did = t(`audit.did.${action}`);
    if (ofOneself.includes(action)) return { deed: did, name: "", page: undefined };
    return {
      deed: t("audit.deed", { did, kind: t(`audit.kinds.${type}`) }),
      name: nameOf(target),
      // A deleted object has no page.
      page: action === "delete" ? undefined : pages[type]?.(id),
    };
  };
}

export function useActorName() {
  const { t } = useTranslation();
  return ({ username, key }: AuditEntry["actor"]) =>
    key === undefined ? username : `${username} · ${t("audit.key", { name: key.name ?? `#${key.id}` })}`;
}
